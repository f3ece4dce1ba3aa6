
// --- Choices, and the first view.

fill("run", data.runs.map((_, index) => String(index)), data.runs.map((run) => run.label));
fill("task", distinct(data.prompts.map((prompt) => word(prompt[1]))));
fill("shots", distinct(data.prompts.map((prompt) => prompt[2])).sort((a, b) => a - b).map(String));
fill("type", distinct(data.runs.map((run) => run.prompt_type)));
fill("judges", data.judges.length > 1 ? ["differ", "agree"] : []);
begin();
