import { createModels } from "@earendil-works/pi-ai";
import { fauxAssistantMessage, fauxProvider, fauxToolCall } from "@earendil-works/pi-ai/providers/faux";
import { createCodemodeExtension } from "@earendil-works/pi-coding-agent";
import { call, runTool, scriptedPiSession, toolFaults } from "@nestbox/tool/testing";
import { describe, expect, it } from "vitest";
import weatherExtension from "../src/extension.ts";
import { createWeatherAgent } from "../src/low-level-agent.ts";
import { weatherSession } from "../src/sdk-session.ts";
import { almanac, type Station } from "../src/station.ts";
import { createWeatherTool } from "../src/weather-tool.ts";

const expected = [
  "Forecast for Oslo",
  "2026-03-01: -6 to 1 °C, clear",
  "2026-03-02: -5 to 2 °C, cloudy",
].join("\n");

describe("the weather tool, by three routes", () => {
  // contract B1
  it("answers a model of the low-level agent", async () => {
    const faux = fauxProvider();
    const models = createModels();
    models.setProvider(faux.provider);
    faux.setResponses([
      fauxAssistantMessage(fauxToolCall("weather", { city: "Oslo", days: "2" }), { stopReason: "toolUse" }),
      fauxAssistantMessage("It is cold."),
    ]);
    const agent = createWeatherAgent(faux.getModel(), models.streamSimple.bind(models));
    await agent.prompt("How is Oslo?");
    const result = agent.state.messages.find((message) => message.role === "toolResult");
    expect(result).toMatchObject({ isError: false, content: [{ type: "text", text: expected }] });
  });

  it("answers a model of a session that a program created", async () => {
    await using pi = await scriptedPiSession(weatherSession);
    await pi.prompt("How is Oslo?", [call("weather", { city: "Oslo", days: 2 }), "It is cold."]);
    expect(pi.resultText()).toBe(expected);
    expect(pi.activeTools()).toEqual(["weather"]);
  });

  it("answers a model and a script where an extension registered it", async () => {
    await using pi = await scriptedPiSession({
      extensions: [weatherExtension, createCodemodeExtension()],
      tools: ["+codemode"],
    });
    const code = `
      const cities = await Promise.all(["Oslo", "Nairobi"].map((city) => tools.weather({ city, days: 1 })));
      text(cities.map(({ city, days }) => city + " " + days[0].highCelsius).join(", "));`;
    await pi.prompt("Compare", [
      call("weather", { city: "Oslo", days: 2 }),
      call("codemode", { code }),
      "Done.",
    ]);
    expect(pi.resultText("call-1")).toBe(expected);
    expect(pi.resultText("call-2")).toContain("Oslo 1, Nairobi 25");
    expect(pi.errors).toEqual([]);
  });

  it("says so when it comes through two of them", async () => {
    await using pi = await scriptedPiSession({ ...weatherSession, extensions: [weatherExtension] });
    expect(pi.errors[0]?.message).toMatch(/customTools .* and by the weather example/);
  });
});

describe("the weather tool, without a model", () => {
  // contract B12
  const broken = (error: unknown): Station => ({ forecast: () => Promise.reject(error) });

  it("keeps every promise that hosts and models rely on", async () => {
    expect(await toolFaults(createWeatherTool(almanac), { city: "Vienna" })).toEqual([]);
  });

  it("reports progress and the final result", async () => {
    const run = await runTool(createWeatherTool(almanac), { city: "Vienna" });
    expect(run.updates).toEqual([
      { content: [{ type: "text", text: "Asking for Vienna…" }], details: { city: "Vienna", days: 3 } },
    ]);
    expect(run.kind === "result" && run.structured?.days.map(({ highCelsius }) => highCelsius)).toEqual([
      12, 13, 14,
    ]);
  });

  it("refuses what its schema does not allow", async () => {
    for (const args of [{}, { city: "" }, { city: "Oslo", days: 8 }, { city: "Oslo", country: "Norway" }]) {
      expect(await runTool(createWeatherTool(almanac), args)).toMatchObject({ kind: "invalid" });
    }
  });

  it("tells a business error that the model can act on, and nothing of upstream", async () => {
    // contract B2, B10
    expect(await runTool(createWeatherTool(almanac), { city: "Atlantis" })).toMatchObject({
      kind: "error",
      message: '"Atlantis" is not a city that the station knows. Try the nearest large city.',
    });
    const leaky = broken(new Error("GET https://user:pass@weather.test/v1?key=abc failed: <html>…"));
    expect(await runTool(createWeatherTool(leaky), { city: "Oslo" })).toMatchObject({
      kind: "error",
      message: "The weather station does not answer. Say so, and do not guess.",
    });
  });

  it("is cancelled with the call", async () => {
    // contract B3
    const slow: Station = {
      forecast: (_city, _days, signal) =>
        new Promise((_resolve, reject) =>
          signal?.addEventListener("abort", () => reject(signal.reason as Error)),
        ),
    };
    expect(await runTool(createWeatherTool(slow), { city: "Oslo" }, { abortAfterUpdates: 1 })).toMatchObject({
      kind: "aborted",
    });
  });

  it("does not pass on a forecast that breaks its own promise", async () => {
    const odd: Station = {
      forecast: async () => [{ date: "today", lowCelsius: 1, highCelsius: 2, sky: "clear" }],
    };
    const run = await runTool(createWeatherTool(odd), { city: "Oslo" });
    expect(run).toMatchObject({ kind: "result", isError: true, structured: undefined });
    expect(run.kind === "result" && run.text).toContain("days.0.date");
  });
});
