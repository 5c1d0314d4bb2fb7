import type { Experiment } from '../experiment.js'
import { holds, none, told } from '../finding.js'
import { Browser, inWords, tally } from '../harness/browser.js'
import { ask, signInMany, type Visitor } from '../harness/load.js'
import { newPerson } from '../harness/provider.js'
import { eachOf, pause } from '../harness/wait.js'

const REQUESTS = 1000

export const experiment: Experiment = {
  title: `what the console gets from ${REQUESTS.toLocaleString('en')} requests while PostgreSQL is down, and from a wrong password`,
  limit: 90,
  async run(lab) {
    const provider = await lab.provider()
    const server = await lab.server('PostgreSQL')
    const database = await server.createDatabase()
    const url = server.url(database)
    await lab.migrate(url)
    const app = await lab.app({
      issuer: provider.issuer,
      strategy: 'database',
      store: { kind: 'sql', url },
      hasPasswords: true,
    })
    const visitors = await signInMany(10, provider, () => app.origin)
    const linesSince = (before: string) => app.output.slice(before.length).split('\n').filter(Boolean)

    let before = app.output
    await new Browser(() => app.origin).post('/auth/callback/credentials', {
      email: newPerson().email,
      password: 'wrong',
    })
    await pause(300)
    const password = linesSince(before)

    before = app.output
    await server.crash()
    const asked = Array.from({ length: REQUESTS }, (_, index) => visitors[index % visitors.length] as Visitor)
    const answers = await eachOf(asked, 10, ask)
    await server.start()
    await pause(500)
    const outage = linesSince(before)
    await app.kill()
    const refused = answers.filter(({ verdict }) => verdict === 'refused').length
    const perRequest = outage.length / REQUESTS
    return [
      told('answers while the store is down', tally(answers.map(({ answer }) => inWords(answer)))),
      none('answers that are not 503', REQUESTS - refused, REQUESTS),
      told('lines in all', outage.length),
      holds('lines for each request', perRequest <= 1, perRequest.toFixed(2), 'at most 1'),
      holds('lines of a wrong password', password.length === 1, String(password.length), '1'),
      told('the first line of a wrong password', (password[0] ?? '').slice(0, 200)),
      holds(
        'the line of a wrong password has time and path, and is no error',
        /\d{4}-\d\d-\d\dT/.test(password[0] ?? '') &&
          /\/auth\/callback/.test(password[0] ?? '') &&
          !/error/.test((password[0] ?? '').slice(0, 60)),
        password.length === 1 ? 'see above' : `${password.length} lines`,
        'one line with both',
      ),
    ]
  },
}
