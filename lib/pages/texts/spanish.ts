import type { Texts } from './english.js'

/** The texts in Spanish, with `tú`, as most sites write. */
export const SPANISH: Texts = {
  'signIn.title': 'Iniciar sesión',
  'signIn.lead': 'para continuar en {site}',
  'signIn.or': 'o',
  'signIn.with': 'Iniciar sesión con {provider}',
  'signIn.submit': 'Iniciar sesión',
  'signIn.remember': 'Mantener la sesión iniciada',
  'signIn.lastUsed': 'Último uso',
  'signIn.nothing': 'Aquí todavía no hay ninguna forma de iniciar sesión.',
  'signIn.signedIn': 'Has iniciado sesión como {user}.',
  'signIn.signedInNote': 'Si inicias sesión como otra persona, esta sesión termina en este navegador.',
  'signIn.signedInAdds':
    'Otra forma de iniciar sesión que elijas aquí se añade a tu cuenta. Para entrar como otra persona, cierra primero la sesión.',
  'signIn.continue': 'Continuar',
  'signIn.signOut': 'Cerrar sesión',
  'signIn.needsScript':
    'Las llaves de acceso necesitan JavaScript. Activa JavaScript para este sitio y vuelve a cargar la página.',
  'signIn.needsPasskeys':
    'Este navegador no admite llaves de acceso. Abre esta página en otro navegador para iniciar sesión.',
  'email.submit': 'Recibir un enlace por correo',
  'email.hint': 'Sin contraseña: te enviamos un enlace con el que inicias sesión.',
  'passkey.submit': 'Usar una llave de acceso',
  'passkey.hint': 'Con tu huella, tu cara o el bloqueo de pantalla. Sin contraseña.',
  'passkey.new': '¿Es tu primera vez?',
  'passkey.create': 'Crear una llave de acceso',
  'passkey.signUp': 'Registrarse con {provider}',
  'links.forgot': '¿Olvidaste la contraseña?',
  'links.signUpLead': '¿Es tu primera vez?',
  'links.signUp': 'Crear una cuenta',
  'links.terms': 'Condiciones',
  'links.privacy': 'Privacidad',
  'links.support': 'Ayuda',
  'field.email': 'Correo electrónico',
  'field.username': 'Nombre de usuario',
  'field.password': 'Contraseña',
  'field.code': 'Código',
  'signIn.error.general': 'No hemos podido iniciar tu sesión. Inténtalo de nuevo.',
  'signIn.error.notStarted':
    'No hemos podido empezar el inicio de sesión. Inténtalo de nuevo o elige otra forma de iniciar sesión.',
  'signIn.error.notCreated': 'No hemos podido crear una cuenta de esa forma. Elige otra forma de iniciar sesión.',
  'signIn.error.accountNotLinked':
    'Esa cuenta pertenece aquí a otra persona. Inicia sesión con la cuenta que usabas antes.',
  'signIn.error.callback': 'No se ha podido completar el inicio de sesión. Empieza de nuevo aquí mismo.',
  'signIn.error.credentials': 'Esos datos no corresponden a ninguna cuenta. Revísalos e inténtalo de nuevo.',
  'signIn.error.email': 'No hemos podido enviar el correo. Revisa la dirección e inténtalo de nuevo.',
  'signIn.error.emailUnavailable':
    'Ahora mismo no podemos enviar correos. Inténtalo dentro de un momento o elige otra forma de iniciar sesión.',
  'signIn.error.csrf':
    'Esta página ha estado abierta demasiado tiempo o tu navegador no guarda nuestras cookies. Inténtalo otra vez.',
  'signIn.error.otherWay':
    'Hasta ahora iniciabas sesión de otra forma con este correo electrónico. Vuelve a hacerlo de esa forma. Si era esta, ponte en contacto con nosotros.',
  'signIn.error.cancelled':
    'Ese inicio de sesión se canceló, tardó demasiado o ya se había usado. Puedes empezar de nuevo aquí mismo.',
  'signIn.error.expired': 'Ese inicio de sesión no se completó a tiempo. Puedes empezar de nuevo aquí mismo.',
  'signIn.error.recent':
    'Hace tiempo que iniciaste sesión. Vuelve a iniciarla de una forma que ya usabas y después añade la nueva. Para entrar como otra persona, cierra primero la sesión.',
  'signIn.error.recentOpenPage':
    'Hace tiempo que iniciaste sesión. Para abrir esta página, vuelve a iniciarla de una forma que ya usabas.',
  'signIn.error.recentEndSessions':
    'Hace tiempo que iniciaste sesión. Vuelve a iniciarla de una forma que ya usabas y después cierra las otras sesiones.',
  'signIn.error.recentRemoveAccount':
    'Hace tiempo que iniciaste sesión. Vuelve a iniciarla de una forma que ya usabas y después quita la cuenta.',
  'signIn.error.sessionChanged':
    'Mientras tanto, tú u otra persona habéis iniciado o cerrado sesión en este navegador y eso ha terminado este inicio de sesión. Puedes empezar de nuevo aquí mismo.',
  'signIn.error.sessionEnded':
    'Mientras tanto has cerrado la sesión en este navegador, o tu sesión ha terminado. No ha cambiado nada. Vuelve a iniciar sesión.',
  'signIn.error.sessionRequired': 'Inicia sesión para ver esa página.',
  'signIn.error.addressTaken':
    'Ya tienes aquí una cuenta con el mismo correo electrónico. Inicia sesión como antes. Después podrás conectar {provider}.',
  'signIn.error.otherId': '{provider} tenía otro identificador tuyo. Inicia sesión de otra forma o contáctanos.',
  'signIn.error.addressTakenUnproven':
    'El correo electrónico de esa cuenta ya se usa aquí. Si es tuyo, inicia sesión como antes o con un enlace que te enviamos por correo. Después podrás conectar {provider}.',
  'passkey.waiting': 'Esperando tu llave de acceso…',
  'passkey.signedIn': 'Has iniciado sesión. Un momento…',
  'passkey.error.failed': 'No ha funcionado. Inténtalo de nuevo o inicia sesión de otra forma.',
  'passkey.error.offline': 'Ahora mismo no hay conexión con el servidor. Revisa tu conexión e inténtalo de nuevo.',
  'passkey.error.server': 'Algo ha fallado por nuestra parte. Inténtalo más tarde.',
  'passkey.error.accessDenied': 'Ha funcionado, pero esta cuenta no tiene acceso aquí.',
  'passkey.error.accountNotLinked': 'Ya hay una cuenta con ese correo electrónico. Inicia sesión como antes.',
  'passkey.error.alreadyRegistered': 'Ya tienes una llave de acceso en este dispositivo. Úsala para iniciar sesión.',
  'passkey.error.cancelled':
    'Se ha cancelado, o en este dispositivo no hay ninguna llave de acceso para este sitio. Puedes intentarlo de nuevo.',
  'passkey.error.notCreated': 'Se ha cancelado y no se ha creado ninguna llave de acceso. Puedes intentarlo de nuevo.',
  'passkey.error.noAuthenticator':
    'Este dispositivo no puede hacerlo. Prueba con otro dispositivo o con una llave de seguridad.',
  'passkey.error.notAllowed': 'Tu navegador no permite llaves de acceso en esta página.',
  'passkey.error.notVerified':
    'No conocemos esa llave de acceso o no hemos podido verificarla. Prueba con otra o inicia sesión de otra forma.',
  'passkey.error.refused':
    'No podemos crear una cuenta para esa dirección. Si ya tienes una cuenta, inicia sesión como antes.',
  'passkey.error.recent': 'Hace tiempo que iniciaste sesión. Vuelve a iniciarla y después añade la llave de acceso.',
  'passkey.error.sessionChanged':
    'Mientras tanto, tú u otra persona habéis iniciado o cerrado sesión en este navegador. Vuelve a cargar la página.',
  'passkey.error.timedOut': 'Ha tardado demasiado. Inténtalo de nuevo.',
  'passkey.error.unsupported': 'Este navegador no admite llaves de acceso.',
  'verifyRequest.title': 'Revisa tu correo',
  'verifyRequest.lead':
    'Te hemos enviado un enlace con el que inicias sesión. Ábrelo en este navegador para entrar al instante.',
  'verifyRequest.leadTo': 'Hemos enviado un enlace a {address}. Ábrelo en este navegador para entrar al instante.',
  'verifyRequest.leadAgain':
    'Hemos enviado otro enlace a {address}. Abre el más reciente en este navegador para entrar al instante.',
  'verifyRequest.lifetime': 'El enlace funciona una sola vez, durante {lifetime}.',
  'verifyRequest.wait': 'Puede tardar un minuto o dos en llegar.',
  'verifyRequest.junk': 'Si no llega nada, mira también en el correo no deseado.',
  'verifyRequest.again': 'Enviar otro enlace',
  'verifyRequest.other': 'Usar otra dirección',
  'confirm.title': '¿Eres tú?',
  'confirm.lead': 'Vas a iniciar sesión en {site}.',
  'confirm.leadAs': 'Vas a iniciar sesión en {site} como {user}.',
  'confirm.submit': 'Iniciar sesión',
  'confirm.hint': 'Si no lo has pedido, cierra esta página. No pasará nada.',
  'link.title': 'Conectar {provider}',
  'link.titlePermission': 'Permiso en {provider}',
  'link.titleSignIn': 'Iniciar sesión en {provider}',
  'link.lead': 'Vas a conectar tu cuenta de {provider} con tu cuenta de {site}.',
  'link.leadPermission':
    '{provider} te pide permiso de nuevo. Tu cuenta de {site} ya está conectada con una cuenta de allí.',
  'link.leadSignIn': 'Vas a iniciar sesión otra vez en {provider}, para que {site} pueda usar tu cuenta de allí.',
  'link.user': 'Has iniciado sesión como {user}.',
  'link.way': 'Te enviamos a {provider} y vuelves aquí.',
  'link.afterwards': 'Después también podrás iniciar sesión con {provider}.',
  'link.anotherAccount':
    'Si eliges allí otra cuenta, también se conecta. Después también podrás iniciar sesión con ella.',
  'link.scope': 'Pedimos a {provider} más permisos:',
  'link.submit': 'Conectar {provider}',
  'link.submitContinue': 'Continuar a {provider}',
  'link.back': 'Ahora no',
  'link.error.general': 'No se ha podido conectar la cuenta. No ha cambiado nada. Puedes intentarlo de nuevo.',
  'link.error.csrf':
    'Esta página ha estado abierta demasiado tiempo o tu navegador no guarda nuestras cookies. Pulsa el botón otra vez.',
  'link.error.cancelled':
    'Se canceló, tardó demasiado o ya se había usado. No ha cambiado nada. Puedes intentarlo de nuevo.',
  'link.error.ofAnotherUser':
    'Esa cuenta pertenece aquí a otra persona, así que no se ha conectado. No ha cambiado nada. Para conectar otra cuenta, pulsa el botón. {provider} te preguntará cuál es.',
  'link.error.ofAnotherUserSignOut':
    'Esa cuenta pertenece aquí a otra persona, así que no se ha conectado. No ha cambiado nada. Para conectar otra cuenta, cierra primero la sesión en {provider}. Después pulsa el botón.',
  'signOut.title': 'Cerrar sesión',
  'signOut.lead': 'Vas a cerrar la sesión de {site} en este dispositivo.',
  'signOut.also': 'Cerrar también la sesión de {provider}',
  'signOut.alsoSure': 'También se cerrará tu sesión de {provider}.',
  'signOut.submit': 'Cerrar sesión',
  'signOut.stay': 'Mantener la sesión',
  'signOut.error.csrf':
    'Tu sesión sigue abierta: la página ha estado abierta demasiado tiempo o tu navegador no guarda nuestras cookies. Pulsa el botón otra vez.',
  'signedOut.title': 'Has cerrado la sesión',
  'signedOut.lead': 'Nadie ha iniciado sesión en {site} en este navegador.',
  'signedOut.signIn': 'Iniciar sesión',
  'providerLogout.title': 'Cerrar la sesión de {provider}',
  'providerLogout.lead': 'Aquí ya has cerrado la sesión. Continúa para cerrar también la de {provider}.',
  'providerLogout.submit': 'Continuar',
  'providerLogout.stay': 'Mantener la sesión allí',
  'error.status': 'Error {status}',
  'error.toSignIn': 'Ir al inicio de sesión',
  'error.startAgain': 'Empezar de nuevo',
  'error.tryAgain': 'Intentar de nuevo',
  'error.goBack': 'Volver',
  'error.otherAccount': 'Usar otra cuenta',
  'error.sendLink': 'Enviar un enlace nuevo',
  'error.continue': 'Continuar',
  'error.home': 'Ir a la página de inicio',
  'error.log': 'Para desarrolladores: el registro del servidor dice el motivo.',
  'error.general.title': 'Algo ha fallado',
  'error.general.text': 'No ha funcionado. Inténtalo de nuevo.',
  'error.accessDenied.title': 'Sin acceso',
  'error.accessDenied.text':
    'Has iniciado sesión, pero esta cuenta no tiene acceso aquí. Si tienes otra cuenta, prueba con ella.',
  'error.accessDenied.textId': 'Tu identificador en el otro sitio es demasiado largo o poco habitual. Contáctanos.',
  'error.configuration.title': 'Un problema por nuestra parte',
  'error.configuration.text':
    'Algo está mal configurado y no hemos podido completar tu solicitud. Inténtalo más tarde.',
  'error.unavailable.title': 'Un momento, por favor',
  'error.unavailable.text':
    'Una parte de nuestro servicio no responde ahora mismo. No se ha perdido nada. Inténtalo dentro de un momento.',
  'error.sessionUnavailable.title': 'Un momento, por favor',
  'error.sessionUnavailable.text':
    'Ahora mismo no podemos comprobar si has iniciado sesión. No se ha perdido nada. Inténtalo dentro de un momento.',
  'error.signOut.title': 'Sesión cerrada en este navegador',
  'error.signOut.text':
    'Has cerrado la sesión en este navegador y no tienes que hacer nada más. Por nuestra parte, tu sesión puede seguir abierta un rato. Eso solo importa si alguien tiene una copia. Si crees que es así, avísanos.',
  'error.emailNotConfirmed.title': 'Esta dirección no está confirmada',
  'error.emailNotConfirmed.text':
    'Alguien se registró aquí de otra forma con este correo electrónico y nunca lo confirmó. Si fuiste tú, inicia sesión de esa forma. Si no, avisa a los responsables de este sitio. El enlace ya no se puede usar.',
  'error.verification.title': 'Este enlace ya no funciona',
  'error.verification.text': 'Ya se ha usado o ha caducado. Inicia sesión de nuevo para recibir otro enlace.',
  'error.verification.textSend': 'Ya se ha usado o ha caducado. Podemos enviar un enlace nuevo a {address}.',
  'error.verification.textSignedIn': 'Ya se ha usado o ha caducado. Ya has iniciado sesión, así que no lo necesitas.',
  'error.passkey.title': 'Tu llave de acceso no se ha aceptado',
  'error.passkey.text': 'No hemos podido verificarla. Inténtalo de nuevo o inicia sesión de otra forma.',
  'error.notAllowed.title': 'Sin acceso a esta página',
  'error.notAllowed.text':
    'Has iniciado sesión, pero tu cuenta no puede abrir esta página. Si tienes otra cuenta, inicia sesión con ella.',
  'refusal.general.title': 'No lo hemos entendido',
  'refusal.general.text': 'La solicitud estaba incompleta o dañada. Empieza de nuevo.',
  'refusal.notFound.title': 'Aquí no hay nada',
  'refusal.notFound.text': 'No hay ninguna página en esta dirección. Comprueba que la dirección esté bien escrita.',
  'refusal.method.title': 'Eso no funciona aquí',
  'refusal.method.text': 'Esta dirección no se puede usar así. Empieza de nuevo.',
  'refusal.lastWay.title': 'Tu única forma de iniciar sesión',
  'refusal.lastWay.text':
    'Sin ella ya no podrías iniciar sesión, así que no se ha quitado. Añade primero otra forma de iniciar sesión.',
  'refusal.tooLarge.title': 'Demasiado grande',
  'refusal.tooLarge.text': 'Tu solicitud es mayor de lo que aceptamos. Acórtala e inténtalo de nuevo.',
  'refusal.format.title': 'Formato desconocido',
  'refusal.format.text': 'Tu solicitud tiene un formato que no podemos leer. Usa el formulario de este sitio.',
  'refusal.form.title': 'Inténtalo de nuevo',
  'refusal.form.text':
    'La página ha estado abierta demasiado tiempo o tu navegador no guarda nuestras cookies. No ha cambiado nada. Vuelve atrás y pulsa el botón otra vez.',
  'refusal.signedOut.title': 'Has cerrado la sesión',
  'refusal.signedOut.text':
    'Mientras tanto has cerrado la sesión en este navegador, o tu sesión ha terminado. No ha cambiado nada. Vuelve a iniciar sesión y después pulsa el botón otra vez.',
  'refusal.gone.title': 'No encontrado',
  'refusal.gone.text': 'Puede que ya se haya quitado. Vuelve atrás para ver qué hay ahora.',
  'site.unknown': 'este sitio',
  'mail.signIn.subject': 'Inicia sesión en {site}',
  'mail.signIn.preview': 'Tu enlace funciona durante {lifetime}.',
  'mail.signIn.lead': 'Alguien, probablemente tú, ha pedido este enlace. Funciona una sola vez, durante {lifetime}.',
  'mail.signIn.open': 'Abre este enlace en tu navegador:',
  'mail.signIn.button': 'Iniciar sesión',
  'mail.signIn.copy': 'Si el botón no funciona, copia esta dirección en tu navegador:',
  'mail.signIn.ignore': 'Si no lo has pedido, puedes ignorar este mensaje. Sin el enlace nadie puede iniciar sesión.',
  'mail.notice.subject': '{title}: {site}',
  'mail.notice.added': 'Una nueva forma de iniciar sesión',
  'mail.notice.removed': 'Se ha quitado una forma de iniciar sesión',
  'mail.notice.accountLinked':
    '{provider} se ha conectado con tu cuenta de {site}. Ya puedes iniciar sesión de esa forma.',
  'mail.notice.accountUnlinked':
    '{provider} se ha desconectado de tu cuenta de {site}. Ya no puedes iniciar sesión de esa forma.',
  'mail.notice.passkeyAdded':
    'Se ha añadido una llave de acceso a tu cuenta de {site}. Ya puedes iniciar sesión con ella.',
  'mail.notice.passkeyRemoved':
    'Se ha quitado una llave de acceso de tu cuenta de {site}. Ya no puedes iniciar sesión con ella.',
  'mail.notice.unknownProvider': 'Un proveedor',
  'mail.notice.advice':
    'Si no fuiste tú, inicia sesión, cierra todas las demás sesiones y avisa a los responsables de este sitio.',
}
