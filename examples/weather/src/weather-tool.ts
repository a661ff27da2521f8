import { arr, int, num, obj, oneOf, opt, str } from "@earendil-works/pi-schema";
import { dataResult, defineTool, refusal, textResult, throwIfAborted } from "@nestbox/tool";
import type { Day, Station } from "./station.ts";

/**
 * The one definition. It imports nothing of Pi but the schema builders, and knows no route: the three files beside
 * it hand it to a host each.
 */
export function createWeatherTool(station: Station) {
  return defineTool({
    name: "weather",
    label: "Weather",
    description:
      "Forecast for one city. Call it when the user asks about weather or temperatures; accepts a city name and up " +
      "to 7 days (default 3); returns one entry a day in degrees Celsius. For past weather, say that it is not available.",
    promptSnippet: "Weather forecast for a city, up to 7 days",
    parameters: obj({
      city: str({ minLength: 1, maxLength: 80, description: "City name, without country" }),
      days: opt(int({ minimum: 1, maximum: 7, description: "Number of days, today included. Default 3" })),
    }),
    outputSchema: obj({
      city: str(),
      days: arr(
        obj({
          date: str({ format: "date" }),
          lowCelsius: num(),
          highCelsius: num(),
          sky: oneOf(["clear", "cloudy", "rain", "snow"]),
        }),
      ),
    }),
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: true },
    async execute(_toolCallId, { city, days = 3 }, signal, onUpdate) {
      onUpdate?.(textResult(`Asking for ${city}…`, { details: { city, days } }));
      const forecast = await station.forecast(city, days, signal).catch((error: unknown) => {
        throwIfAborted(signal);
        // What upstream said is for us; the model gets what it can act on.
        throw refusal(
          isUnknownCity(error)
            ? `"${city}" is not a city that the station knows. Try the nearest large city.`
            : "The weather station does not answer. Say so, and do not guess.",
        );
      });
      throwIfAborted(signal);
      return dataResult({ city, days: forecast }, { text: toText(city, forecast), details: { city, days } });
    },
  });
}

function toText(city: string, days: readonly Day[]): string {
  const lines = days.map(
    ({ date, lowCelsius, highCelsius, sky }) => `${date}: ${lowCelsius} to ${highCelsius} °C, ${sky}`,
  );
  return [`Forecast for ${city}`, ...lines].join("\n");
}

function isUnknownCity(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "unknown-city";
}
