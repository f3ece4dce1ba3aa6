
// --- The report: what its address keeps, and judges, one tab each.

const DEFAULTS = {
  example: "", judge: "", run: "", task: "", shots: "", type: "", judges: "", show: "all", q: "",
  page: "1",
};
const SECTIONS = ["scores", "plots", "gallery"];
const KEPT = ["judge"];
state = { ...DEFAULTS };

const tabs = [...document.querySelectorAll("[role=tab]")];
const sections = [...document.querySelectorAll("section.judge")];
const judgeNames = tabs.map((tab) => tab.textContent);

const judgeNumber = () => Math.max(0, judgeNames.indexOf(state.judge));

function showJudge() {
  const chosen = judgeNumber();
  tabs.forEach((tab, number) => {
    tab.setAttribute("aria-selected", String(number === chosen));
    tab.tabIndex = number === chosen ? 0 : -1;
  });
  sections.forEach((section, number) => { section.hidden = number !== chosen; });
}
listeners.push(showJudge);

tabs.forEach((tab, number) => {
  tab.addEventListener("click", () => show({ judge: number ? judgeNames[number] : "" }));
  tab.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = tabs[(number + step + tabs.length) % tabs.length];
    next.click();
    next.focus();
  });
});

function place(section) {
  return section === "plots" ? sections[judgeNumber()].querySelector(".figures") : byId(section);
}
