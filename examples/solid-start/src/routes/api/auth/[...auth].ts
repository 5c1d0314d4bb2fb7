import { SolidAuth } from 'latchkey/solid-start'
import { config } from '~/auth'

export const { GET, POST } = SolidAuth(config)
