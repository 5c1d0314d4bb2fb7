import { report, taskOf } from '../../loop/pinned.js'
import { chunkLoops } from './chunks.js'
import { type ScaleTask, timePoints } from './point.js'
import { providerLoops } from './providers.js'
import { tenantLoops } from './tenants.js'

/** The process for all that is configured, and for large cookies. */
const { pace } = taskOf<ScaleTask>()
report(await timePoints([...(await providerLoops()), ...(await tenantLoops()), ...(await chunkLoops())], pace))
