// What returning turns would do: how much the session is afterwards, and what of the turns does not cross. The same
// facts as of a switch, so that the same report is made of them.

import { mapped } from "../session/batches.ts";
import { BatonError } from "../session/error.ts";
import type { Source, Stream } from "../session/source.ts";
import { keptThinking, type Prepared, type SwitchRequest, sourceFacts } from "./prepare-switch.ts";
import { fits } from "./reduction.ts";
import { sizeAfter } from "./size-after.ts";
import { surveyedIn } from "./survey.ts";
import type { SwitchTarget } from "./target.ts";
import type { Thinker } from "./thinking.ts";

interface ReturnTo extends Pick<SwitchRequest, "source" | "adapters" | "overrides" | "home"> {
  target: SwitchTarget;
  thinker: Thinker;
  /** What stays of the original; undefined = nothing. */
  kept: Source | undefined;
  /** What is returned, prepared; `look`: whoever wants to see it before that. */
  fresh(look: (stream: Stream) => Stream): Stream;
}

export async function measureReturn(request: ReturnTo): Promise<Prepared> {
  const { source, target, thinker, kept, home } = request;
  const facts = await sourceFacts(request, home, source.header.project.path);
  const { stream, survey } = surveyedIn(request.fresh);
  const messages = new Set<number>();
  const entries = () =>
    mapped(stream.entries(), (batch) => {
      for (const { id } of batch) messages.add(survey.messageOf(id) ?? -1);
      return batch;
    });
  const size = await sizeAfter({ kept, fresh: { ...stream, entries }, to: target.agent, from: facts.agent });
  messages.delete(-1);
  const isFitting = fits(size, target.model.window);
  return {
    target,
    source: facts,
    survey,
    size,
    window: target.model.window,
    isFitting,
    ...(!isFitting && { impossible: notReduced() }),
    after: size.total,
    originalMessageCount: survey.messages,
    preservedMessageCount: messages.size,
    keptMessages: messages,
    omitted: { toolCalls: 0, toolResults: 0 },
    keptThinking: keptThinking({ stream, survey }),
    isOwn: false,
    thinker,
    stream: () => stream,
  };
}

function notReduced(): BatonError {
  return new BatonError(
    "refused",
    "A return takes all of it as it is.",
    "`baton resume SESSION --in AGENT --strategy hybrid` makes a new session that fits.",
  );
}
