// Properties are tried with the same values in every run: a run that fails says something about a change, not about
// luck. `SEED=12345` tries others, `SEED=$RANDOM` new ones.
import fc from "fast-check";

fc.configureGlobal({ seed: Number(process.env.SEED ?? 20_261) });

export { fc };
