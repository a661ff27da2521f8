/** One day of a forecast. */
export interface Day {
  /** `2026-03-01`. */
  readonly date: string;
  readonly lowCelsius: number;
  readonly highCelsius: number;
  readonly sky: "clear" | "cloudy" | "rain" | "snow";
}

/** Where forecasts come from. A real one would call a weather service and hand `signal` to `fetch`. */
export interface Station {
  /** Rejects when the city is not known, or the service cannot be reached. */
  forecast(city: string, days: number, signal: AbortSignal | undefined): Promise<readonly Day[]>;
}

const skies = ["clear", "cloudy", "rain", "snow"] as const;
const climates = new Map([
  ["vienna", { low: 4, high: 12 }],
  ["nairobi", { low: 13, high: 25 }],
  ["oslo", { low: -6, high: 1 }],
]);

/** A station without a network: a climate table, so that the example gives the same answer every time. */
export const almanac: Station = {
  async forecast(city, days, signal) {
    signal?.throwIfAborted();
    const climate = climates.get(city.toLowerCase());
    if (climate === undefined) throw new UnknownCityError(city);
    return Array.from({ length: days }, (_, index) => ({
      date: new Date(Date.UTC(2026, 2, 1 + index)).toISOString().slice(0, 10),
      lowCelsius: climate.low + (index % 3),
      highCelsius: climate.high + (index % 4),
      sky: skies[index % skies.length] ?? "clear",
    }));
  },
};

class UnknownCityError extends Error {
  readonly code = "unknown-city";

  constructor(city: string) {
    super(`No climate for ${city}`);
  }
}
