import { outageExperiment } from './outage.js'

/** During the outage, the store's port refuses connections. */
export const experiment = outageExperiment({
  title: 'the store crashes, and comes back after 4 seconds, under load',
  begin: (server) => server.crash(),
  lastsMs: 4000,
  end: (server) => server.start(),
  answerMs: 7000,
})
