/**
 * Words by which forms and fields tell what they are for, in English, German, French, Spanish, Portuguese, Italian,
 * Dutch, Swedish, Polish, Czech, Turkish, Russian, Chinese, Japanese, Korean, Arabic, Indonesian and Vietnamese, and the
 * commonest ones in a dozen more languages. They are looked for in `plainText`, so they stand here without accents. A word of three letters or fewer, or with a space around
 * it, must stand alone; the others may be part of a longer one, as in `userlogin`.
 */
const lists = {
  login:
    'login|log in|logon|log on|logging in|signin|sign in|sign on|signon|auth|einloggen|anmelden|anmeldung|connexion|connecter|identifier vous|identifiez|iniciar sesion|inicia sesion|acceder|acceso|ingresar|ingreso|entrar|iniciar sessao|acessar|acesse|accedi|accesso|entra |inloggen|aanmelden|logga in|zaloguj|logowanie|prihlasit|prihlaseni|giris|oturum ac|войти|вход|авториз|登录|登入|登陆|ログイン|サインイン|로그인|تسجيل الدخول|دخول|masuk|dang nhap|openid|oauth|fbconnect| sso |sessions|log ind|logg inn|kirjaudu|belep|bejelentkez|prisijung|prijava|prijavi|autentific|conectare|intra in cont|συνδεση|εισοδος|увійти|вхід|התחבר|כניסה|เข้าสู่ระบบ|member login|already registered|returning customer|existing customer',
  register:
    'register|registr|regist|sign up|signup|create account|create an account|create my account|new account|new user|join now|join us|become a member|registrieren|konto erstellen|neu anmelden|inscri|creer un compte|crear cuenta|registrar|registrat|cadastr|criar conta|crea account|aanmaken|skapa konto|bli medlem|zarejestruj|rejestrac|zaloz konto|zaregistr|kayit|uye ol|hesap olustur|регистр|создать аккаунт|注册|註冊|新規登録|会員登録|회원가입|가입|التسجيل|انشاء حساب|daftar|dang ky|opret|rekisteroidy|luo tili|regisztr|inregistr|εγγραφη|реєстр|הרשמ|สมัคร|new customer|neuer kunde|nuevo cliente',
  recover:
    'forgot|forget|lost|recover|retriev|remind|reset|vergessen|zuruecksetzen|zurucksetzen|oublie|perdu|reinitialis|olvid|recuper|esquec|redefinir|dimenticat|vergeten|glomt|aterstall|zapomn|zapomen|odzysk|obnov|unuttu|sifremi|забыли|восстанов|напомн|忘记|忘記|找回|忘れ|再設定|찾기|نسيت|استعادة|lupa|quen mat|glemt|elfelejt|pamirs|zaborav|unohtu|uitat|ξεχασ|забули|שכחת|ลืม|send me|new password',
  search:
    'search|find|query|lookup|suche|suchen|finden|recherche|chercher|buscar|busca|buscador|pesquis|procurar|cerca|ricerca|zoeken|sok |szukaj|wyszuk|hledat|hledej|arama| ara |поиск|искать|найти|搜索|搜尋|查找|検索|검색|بحث|cari |pencarian|tim kiem|keyword| q | s |keres|hladat|haku|sog |cauta|αναζητηση|пошук|חיפוש|ค้นหา|paieska|trazi',
  contact:
    'contact|comment|message|feedback|reply|enquiry|inquiry|support|ticket|subject|kontakt|kommentar|nachricht|frage|commentaire|mensaje|comentario|mensagem|messaggio|commento|bericht|opmerking|meddelande|wiadomosc|komentarz|zprava|dotaz|mesaj|yorum|iletisim|сообщен|комментар|обратн|отзыв|留言|评论|联系|お問い合わせ|コメント|문의|댓글|رسالة|تعليق|komentar|pesan|lien he|binh luan|kapcsolat|uzenet|kommentti|viesti|besked|ερωτηση|повідомл|תגובה|ข้อความ',
  join: 'newsletter|subscri|mailing|mail list|maillist|mailchimp|email list|updates|abonnieren|abonnement|abonn|lettre d info|suscri|boletin|assine|iscriv|nieuwsbrief|nyhetsbrev|prenumer|subskry|odber|bulten|e bulten|abone|подпис|рассыл|订阅|訂閱|メルマガ|購読|구독|뉴스레터|اشترك|النشرة|berlangganan|ban tin|hirlevel|nyhedsbrev|uutiskirje|naujienlaisk|newslettera|розсил|дайджест|stay informed|stay up to date|get the latest',
  order:
    'cart|basket|checkout|buy|order|quantity|qty|coupon|donate|warenkorb|bestell|kaufen|panier|acheter|carrito|comprar|carrello|acquista|winkel|varukorg|koszyk|kosik|sepet|корзин|купить|购物车|カート|장바구니|السلة|keranjang|gio hang',
  user: 'user|username|login|logon|account|acct|member|nick|handle|benutzer|nutzer|konto|utilisateur|identifiant|pseudo|usuario|utente|gebruiker|anvandar|uzytkownik|uzivatel|jmeno|kullanici|rumuz|uye|логин|имя|пользовател|用户|用戶|帐号|账号|帳號|ユーザ|아이디|사용자|المستخدم|pengguna|nama|tai khoan|ten dang nhap| uid | usr | id |felhasznalo|bruger|kayttaja|kayttajatunnus|vartotoj|korisnik|utilizator|χρηστη|користувач|משתמש|ผู้ใช้|nazwa',
  mail: 'email|e mail| mail|correo|courriel|posta|почт|邮箱|郵箱|電子郵件|メール|이메일|البريد|epost|sahkoposti|el past|imeil|пошт|אימייל|דואר|อีเมล',
  password:
    'password|passwd|passwort|kennwort|mot de passe|motdepasse|contrasena|senha|parola|wachtwoord|losenord|haslo|heslo|sifre|пароль|密码|密碼|パスワード|비밀번호|كلمة المرور|كلمة السر|kata sandi|mat khau| pass | pwd | pw |jelszo|adgangskode|kodeord|passord|salasana|slaptazod|lozinka|parool|κωδικο|пароля|סיסמ|รหัสผ่าน',
  remember:
    'remember|keep me|stay |persist|autologin|auto login|cookieuser|cookie user|save my|eingeloggt bleiben|angemeldet bleiben|merken|souvenir|rester connecte|recordar|recuerda|no cerrar sesion|lembrar|manter|ricorda|resta connesso|onthou|blijf|kom ihag|zapamiet|pamiet|pamatovat|zustat|hatirla|запомн|не выходить|记住|自动登录|下次自动|保持登|保持|保存|로그인 유지|자동|تذكر|ingat|ghi nho|duy tri|remeber|rember|keep log|keeplog|husk|emlekez|prisimin|muista|zapamti|tine minte|neodhlas|θυμησου|запамят|זכור|จดจำ|stay logged|stay signed|permanent|automatic log',
  captcha:
    'captcha|verify code|verification code|security code|verifycode|checkcode|vcode|seccode|authcode|human|robot|spam|bot check|imagestring|image code|code in the image|sicherheitscode|sicherheitsfrage|code de securite|codigo de seguridad|codice di sicurezza|kod z obrazka|kontrolni kod|guvenlik kodu|dogrulama kodu|код с картинки|проверочный код|символы|验证码|驗證碼|画像認証|認証コード|자동입력|보안문자|رمز التحقق|kode keamanan|ma xac nhan|ma bao ve|verification|verifynumber|verify number|sec code|anti spam|antispam|izobra|ellenorzo|kodu z|securityimage|security image|word verification|magicword|magic word|overit|opis z|kod obraz|characters you see|letters you see|type the|enter the code|enter the text|symbols|код на|проверк|изображ|картинк',
  honeypot:
    'honeypot|honey pot|leave this|leave blank|leave empty|leave it blank|leave it empty|do not fill|don t fill|dont fill|not fill|keep this field|not enter anything|nicht ausfullen|leer lassen|ne pas remplir|laisser vide|no rellen|dejar vac|nao preench|deixe em branco|non compilare|lasciare vuoto|niet invullen|leeg laten|nie wypelniaj|nevyplnujte|bos birak|не заполня|оставьте пустым| hp |ohnohoney|gotcha|bot field|botfield|trap',
} as const;

export type Topic = keyof typeof lists;
export const topics = Object.keys(lists) as Topic[];

/** Letters that no accent can be taken from. */
const letters: Readonly<Record<string, string>> = { đ: 'd', ı: 'i', ł: 'l', ø: 'o', ß: 'ss', æ: 'ae' };

function bare(text: string): string {
  const marked = text.normalize('NFKD').toLowerCase();
  return marked.replace(/[\u0300-\u036f]/g, '').replace(/[đıłøßæ]/g, (letter) => letters[letter] ?? letter);
}

/** Lower case, without accents, words of names apart, with a space at both ends. */
export function plainText(text: string): string {
  const apart = text.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2');
  return ` ${bare(apart)
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim()} `;
}

const patterns = Object.fromEntries(
  // allow(expression): of the words of this file
  Object.entries(lists).map(([topic, list]) => [topic, new RegExp(alternatives(list), 'u')]),
) as Record<Topic, RegExp>;

function alternatives(list: string): string {
  return list
    .split('|')
    .map(bare)
    .map((word) => (/^[a-z]{1,3}$/.test(word) ? ` ${word} ` : word))
    .join('|');
}

/** Whether a name or selector of a field says that it takes a password. */
export function namesPassword(text: string): boolean {
  return speaksOf('password', plainText(text));
}

/** Whether a text made by `plainText` has a word of the topic. */
export function speaksOf(topic: Topic, plain: string): boolean {
  return patterns[topic].test(plain);
}
