import { hostPatternProblem } from '../http/host-patterns.js'
import type { Finding } from '../providers/provider.js'

/** What is wrong with a list of hosts in a configuration. */
export function checkHostList(option: string, hosts: unknown): Finding[] {
  if (hosts === undefined) return []
  if (!Array.isArray(hosts)) {
    return [{ type: 'InvalidConfiguration', message: `\`${option}\` must be a list, such as ["*.app.example"].` }]
  }
  return hosts.flatMap((pattern: unknown): Finding[] => {
    const problem = hostPatternProblem(pattern as string)
    if (problem === null) return []
    return [{ type: 'InvalidConfiguration', message: `\`${option}\` has ${JSON.stringify(pattern)}: ${problem}.` }]
  })
}
