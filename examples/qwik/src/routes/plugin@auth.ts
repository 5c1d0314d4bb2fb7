import { QwikAuth } from 'latchkey/qwik'
import { config } from '../auth'

export const { onRequest, guard, useSession, useSignIn, useSignOut } = QwikAuth(config)
