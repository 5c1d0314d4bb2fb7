import { type Application, startApplication } from '../applications.js'
import { openConnections } from '../load.js'
import { type Measure, quartilesOf, type Row } from '../results.js'
import { nodeOn, withServers } from '../server.js'

const APPLICATIONS: readonly Application[] = [
  { name: 'Express alone', file: 'express' },
  { name: 'Latchkey', file: 'latchkey' },
  { name: '@auth/express', file: 'authjs' },
  { name: 'better-auth', file: 'better-auth' },
  { name: 'express-openid-connect', file: 'express-openid-connect', atProvider: true },
  { name: 'passport and express-session', file: 'passport' },
  { name: 'iron-session', file: 'iron-session' },
]

/** What a server has in memory when it has started, and after requests of many people. */
export const measure: Measure = async (quick) => {
  const { people, requests } = quick ? { people: 20, requests: 200 } : { people: 30, requests: 1200 }
  const rows: Row[] = []
  for (const application of APPLICATIONS) {
    await withServers(async (start) => {
      const startWithGc: typeof start = (file, options) => start(file, options, [...nodeOn('server'), '--expose-gc'])
      const provider = await start('identity-provider', {}, nodeOn('load'))
      const unused = await startApplication(startWithGc, provider, application, 0)
      const { server, cookies } = await startApplication(startWithGc, provider, application, people)
      await openConnections(server.origin)('/hello', cookies)(requests)
      const bytes = [...(await unused.server.usage()).memory, ...(await server.usage()).memory]
      rows.push({ name: application.name, cells: bytes.map((amount) => quartilesOf([amount / 2 ** 20])) })
    })
  }
  return {
    id: 'memory',
    title: 'Memory',
    how: `Memory of one server after a garbage collection: idle, after one request to the guarded route without a session; and after ${people} sign-ins and ${requests} requests of these people to that route. "Resident" is the memory of the whole process. It differs from run to run, and the system gets it back late or never.`,
    columns: ['resident idle, MiB', 'heap idle, MiB', 'resident after load, MiB', 'heap after load, MiB'],
    rows,
    goals: [],
  }
}
