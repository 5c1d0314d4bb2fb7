import { packed } from './packed.js'

// Before a run of all tests: no test then waits, within its own limit of time, until another one has built the package.
await packed()
