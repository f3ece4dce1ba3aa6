
// --- The leaderboard: what its address keeps.

const DEFAULTS = { model: "", category: "", subtask: "", show: "all", q: "", page: "1" };
const SECTIONS = ["scores", "plots", "gallery"];
const KEPT = [];
state = { ...DEFAULTS };

const place = (section) => byId(section);
