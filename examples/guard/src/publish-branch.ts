import { bool, obj, opt, str } from "@earendil-works/pi-schema";
import { defineTool, refusal, textResult } from "@nestbox/tool";

/** The tool that the extension had before it had a guard. It leaves the work to Pi's own `bash`. */
export const publishBranch = defineTool({
  name: "publish_branch",
  label: "Publish branch",
  description:
    "Publishes a branch to origin. Call it when the user wants others to see the branch; returns what git says.",
  parameters: obj({
    branch: str({ pattern: "^[a-z][a-z0-9-]{0,60}$" }),
    force: opt(bool({ description: "Replace what is there. Default: false" })),
  }),
  async execute(_id, { branch, force = false }, signal, _onUpdate, context) {
    if (context === undefined) throw refusal("publish_branch needs a session, because it calls bash.");
    // The pattern leaves nothing in the name that a shell would read.
    const command = `git push ${force ? "--force " : ""}origin ${branch}`;
    const { result, isError } = await context.executeTool("bash", { command }, signal && { signal });
    const text = result.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
    if (isError) throw refusal(text);
    return textResult(text);
  },
});
