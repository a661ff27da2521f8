import { int, obj, str } from "@earendil-works/pi-schema";
import { dataResult, defineTool, refusal, textResult, type ToolCallOutcome } from "@nestbox/tool";

export interface Warehouse {
  /** Pieces and cents by the name of the thing. */
  readonly stock: ReadonlyMap<string, { readonly pieces: number; readonly cents: number }>;
  readonly orders: string[];
}

/** Five tools, and not one of them is declared to the model: it reaches them through scripts, or not at all. */
export function createWarehouseTools({ stock, orders }: Warehouse) {
  const find = (thing: string) => {
    const found = stock.get(thing);
    if (found === undefined)
      throw refusal(`There is no ${thing}. There are: ${[...stock.keys()].join(", ")}`);
    return found;
  };
  const thing = str({ minLength: 1, maxLength: 40 });
  const readOnly = { readOnlyHint: true, openWorldHint: false };
  return [
    defineTool({
      name: "count_pieces",
      description: "Counts the pieces of a thing in the warehouse.",
      parameters: obj({ thing }),
      outputSchema: obj({ pieces: int() }),
      exposure: "codemode",
      annotations: readOnly,
      execute: async (_id, params) => dataResult({ pieces: find(params.thing).pieces }),
    }),
    defineTool({
      name: "price_of",
      description: "Price of one piece of a thing, in cents.",
      parameters: obj({ thing }),
      outputSchema: obj({ cents: int() }),
      // A description that lists tools leaves this one out: scripts find it with searchTools("price").
      exposure: "deferred",
      annotations: readOnly,
      execute: async (_id, params) => dataResult({ cents: find(params.thing).cents }),
    }),
    defineTool({
      name: "order",
      description: "Orders pieces of a thing from its supplier.",
      parameters: obj({ thing, pieces: int({ minimum: 1 }) }),
      exposure: "codemode",
      async execute(_id, params) {
        find(params.thing);
        orders.push(`${params.pieces} ${params.thing}`);
        return textResult(`Ordered ${params.pieces} ${params.thing}`);
      },
    }),
    defineTool({
      name: "restock",
      description: "Orders what is missing of a thing, so that there are as many pieces as asked for.",
      parameters: obj({ thing, pieces: int({ minimum: 1 }) }),
      outputSchema: obj({ ordered: int() }),
      exposure: "codemode",
      async execute(_id, params, signal, _onUpdate, context) {
        if (context === undefined) throw refusal("Restocking needs a host with nested calls.");
        const options = signal === undefined ? {} : { signal };
        const counted = await context.executeTool("count_pieces", { thing: params.thing }, options);
        if (counted.isError) throw refusal(textIn(counted));
        const pieces = params.pieces - piecesIn(counted);
        if (pieces <= 0) return dataResult({ ordered: 0 });
        const ordered = await context.executeTool("order", { thing: params.thing, pieces }, options);
        if (ordered.isError) throw refusal(textIn(ordered));
        return dataResult({ ordered: pieces });
      },
    }),
    defineTool({
      name: "supplier_password",
      description: "The password of the supplier's shop.",
      parameters: obj({}),
      // Withdrawn: registered, and reachable for nobody.
      exposure: "hidden",
      execute: async () => textResult("swordfish"),
    }),
  ];
}

function piecesIn({ result: { structuredContent } }: ToolCallOutcome): number {
  if (typeof structuredContent === "object" && structuredContent !== null && "pieces" in structuredContent) {
    const { pieces } = structuredContent;
    if (typeof pieces === "number") return pieces;
  }
  throw refusal("The pieces were not counted.");
}

function textIn({ result }: ToolCallOutcome): string {
  return result.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}
