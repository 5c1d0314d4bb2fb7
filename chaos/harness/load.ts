import { type Answer, Browser, inWords, type Origins } from './browser.js'
import { newPerson, type Person, type Provider } from './provider.js'
import { eachOf, pause } from './wait.js'

/** A signed-in person and their browser. */
export interface Visitor {
  readonly person: Person
  readonly browser: Browser
}

/** Signs people in at the provider. @throws if somebody cannot sign in */
export async function signInMany(
  count: number,
  provider: Provider,
  origins: Origins,
  limitMs?: number,
): Promise<Visitor[]> {
  return eachOf(
    Array.from({ length: count }, () => newPerson()),
    4,
    async (person) => {
      const browser = new Browser(origins, limitMs)
      const refusal = await browser.signIn(provider, person)
      if (refusal)
        throw new Error(`A sign-in before the experiment gave ${inWords(refusal)}. ${refusal.text.slice(0, 200)}`)
      return { person, browser }
    },
  )
}

/** One answer of a guarded route to a signed-in person. */
export interface Sample {
  /** When the request was sent, in milliseconds since the load began. */
  readonly at: number
  readonly answer: Answer
  /** Right: the person's own name. Refused: 503, which is allowed during an outage. Anything else is wrong. */
  readonly verdict: 'right' | 'refused' | 'hung' | 'wrong'
}

/** Requests the guarded route. */
export async function ask({ person, browser }: Visitor): Promise<Pick<Sample, 'answer' | 'verdict'>> {
  const answer = await browser.get('/private')
  return { answer, verdict: verdictOn(answer, person) }
}

function verdictOn(answer: Answer, { email }: Person): Sample['verdict'] {
  if (answer.status === 200 && answer.text === email) return 'right'
  if (answer.status === 503) return 'refused'
  return answer.status === 0 && answer.hung ? 'hung' : 'wrong'
}

/** People who request the guarded route repeatedly. */
export interface Load {
  readonly samples: readonly Sample[]
  /** Milliseconds since the load began. */
  now(): number
  stop(): Promise<void>
}

export function startLoad(visitors: readonly Visitor[], pauseMs = 50): Load {
  const start = performance.now()
  const now = () => performance.now() - start
  const samples: Sample[] = []
  let isOver = false
  const asking = visitors.map(async (visitor) => {
    while (!isOver) {
      const at = now()
      samples.push({ at, ...(await ask(visitor)) })
      await pause(pauseMs)
    }
  })
  return {
    samples,
    now,
    async stop() {
      isOver = true
      await Promise.all(asking)
    },
  }
}

export const countOf = (samples: readonly Pick<Sample, 'verdict'>[], verdict: Sample['verdict']): number =>
  samples.filter((sample) => sample.verdict === verdict).length

/** The longest time of an answer, in milliseconds. */
export const longest = (answers: readonly { readonly answer: Answer }[]): number =>
  Math.max(0, ...answers.map(({ answer }) => answer.took))
