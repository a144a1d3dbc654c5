// The frequent words and the letters of each language that shares its script with others.
#pragma once

#include <array>
#include <string_view>

#include "translate/scripts.h"

namespace hymt::translate {

struct Profile {
  std::string_view code;  // empty: languages that are not ours
  Script script;
  std::string_view words;    // lower case, separated by spaces
  std::string_view letters;  // lower case; what a neighbour of the same script does without
};

inline constexpr auto kProfiles = std::to_array<Profile>({
    {"en", Script::latin,
     "the and of to in is that it was for on with as are he his be at by this had not have "
     "from but or an they which you one were all her she there would their we him been has "
     "when who will no more if out so what up said about than into them can only other could "
     "my your i me do did does don t how where why please thank thanks hello good a very just "
     "like know want am us our ok okay these those should because too isn s didn re go ll "
     "think here time ve get going come see need let tell help doesn never take now got "
     "really much some money make work day last any people back right thought give many book "
     "long today look must went new always love talk still off before well won",
     ""},
    {"fr", Script::latin,
     "le la les de des du un une et est que qui dans en pour pas sur au aux avec ce cette ces "
     "il elle ils elles je tu nous vous mon ma mes ton ta tes son sa ses ne plus par mais ou "
     "où se si été être avoir ai as a avons avez ont suis es sommes êtes sont fait faire dit "
     "comme tout tous bien très merci bonjour oui non qu quoi quand comment pourquoi c d l j "
     "n s m t leur y même cela ça moi toi lui peut temps va vais à me veux te étais était "
     "peux votre ici pense sais chose jamais vraiment on dire aller beaucoup besoin aime rien "
     "parler peu maison toujours trop voir deux avait soit voiture dois faut autre aimerais "
     "fois maintenant hier quelle pouvez avais quel fais père notre assez chez toutes mieux "
     "devrais vie voulez vos combien",
     "àâçèéêëîïôœùûÿ"},
    {"pt", Script::latin,
     "o a os as de do da dos das em no na nos nas um uma e é que não para com por se mais "
     "como mas foi ao ele ela eles elas eu você vocês tu nós meu minha seu sua isso isto este "
     "esta esse essa são está estava estou estão ser ter tem tinha tenho muito já também só "
     "pelo pela até quando quem onde obrigado obrigada olá sim fazer disse há ou às aos sobre "
     "entre depois sem quero aqui tempo gosta tão nunca acho amanhã agora dinheiro pode "
     "sempre dia hoje livro verdade melhor quer sabe mim ontem cachorro homem preciso havia "
     "faz bem vez casa vida ainda nosso foram pelos pelas num numa anos deve nada solo",
     "ãõáâàçéêíóôú"},
    {"es", Script::latin,
     "el la los las de del al un una unos unas y es que no en por para con se su sus lo le "
     "les más como pero fue era ha he han hay yo tú él ella ellos ellas nosotros usted "
     "ustedes mi mis tu tus me te nos esto esta este estos estas ese esa eso está están estoy "
     "estaba estaban ser tengo tiene tienes muy ya también sin sobre entre cuando quien quién "
     "qué cómo dónde donde porque si sí gracias hola bueno todo todos hacer dijo desde hasta "
     "soy eres somos son voy va vamos puedo puede quiero aquí algo tiempo gusta tan nada "
     "nunca creo mañana estás ahora dinero puedes siempre día hoy libro verdad mejor quieres "
     "sabe mí ayer perro hombre necesito tenía había hace sé solo favor vez todavía nuestro "
     "vengo vivo estabas años casa vida",
     "ñ¿¡áéíóú"},
    {"tr", Script::latin,
     "ve bir bu da de için ile çok ne o ben sen biz siz onlar var yok değil mi mı mu mü gibi "
     "daha ama en kadar olarak olan olduğu oldu sonra her şey şu bana sana ona beni seni onu "
     "benim senin onun ki ya veya diye dedi evet hayır teşekkürler merhaba lütfen nasıl neden "
     "nerede kim ise tarafından göre yeni iki büyük zaman bugün yarın dün şimdi istiyorum "
     "biliyorum gün kişi iş hiç içinde",
     "ıışğçöüİ"},
    {"it", Script::latin,
     "il lo la i gli le di del della dei delle dello degli al alla ai alle da dal dalla nel "
     "nella un uno una e è che non per con si su sul sulla come ma più anche ha ho hai hanno "
     "abbiamo sono sei siamo era essere avere io tu lui lei noi voi loro mio mia tuo tua suo "
     "sua questo questa quello quella ci mi ti se chi cosa dove quando perché molto bene "
     "grazie ciao sì stato fatto dopo tra fra c l d tutto tutti voglio posso tempo qui oggi "
     "ieri domani ora sempre mai niente devo fare detto anni però così casa vita nuovo nuova",
     "àèéìòù"},
    {"de", Script::latin,
     "der die das den dem des ein eine einen einem einer und ist nicht ich du er sie es wir "
     "ihr zu in mit von auf für im am an als auch sich so wie war hat habe haben hast sind "
     "bin bist wird werden wurde aber oder wenn dass daß nach bei aus um noch nur kann mir "
     "mich dich dir ihm ihn mein meine dein deine sein seine was wer wo warum danke hallo "
     "bitte ja nein sehr schon über vor zum zur man kein keine hier uns etwas weiß tun gehen "
     "mehr gut werde will möchte nichts diese muss immer hatte viel können nie zeit sagen "
     "euch heute würde da mal alle ihre ihnen jetzt gibt kannst",
     "äöüß"},
    {"vi", Script::latin,
     "và của là có không được cho các những một người trong này tôi anh em bạn chúng ta họ đã đang "
     "sẽ với để từ khi ở đến ra vào cũng như nhưng rất nhiều gì ai đâu sao thế nào cảm ơn xin chào "
     "vâng về trên tại sau năm",
     "ăâđêôơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹãõàáèéìíòóùúý"},
    {"ms", Script::latin,
     "yang dan di ke dari ini itu untuk dengan tidak pada dalam akan telah adalah oleh saya "
     "kami kita mereka dia anda awak kerana bahawa ialah boleh daripada iaitu manakala kepada "
     "sahaja beliau polis bandar lelaki mahu apabila kerajaan syarikat universiti pasukan "
     "perlawanan parlimen ogos ahad isnin khamis jumaat wang cuba berkata pengarah pegawai "
     "doktor minit hospital semasa parti pejabat tersebut seperti juga ada orang sudah terima "
     "kasih selamat apa jualan presiden barat mempunyai menyebabkan sekiranya terdapat "
     "persekutuan setiausaha perbicaraan amerika kempen penonton ketua bermula selepas "
     "sebelum mengenai dijangka memberitahu menerusi melalui masa hari kereta pilihan jumlah "
     "menjelang mangsa tembakan kelab penyerang gol bola kejohanan perempuan pelajar sekolah "
     "kolej susulan petang pagi berbanding sebanyak turut terhadap kata hendak tak nak macam "
     "dekat sangat jenama dekad dijumpai ditemui pengerusi isteri isterinya haiwan cik encik "
     "jurucakap tempatan baharu perniagaan kedai bahagian antarabangsa cabaran bermakna "
     "selesa tropika rantau sikit undian pengundi stesen pelbagai berjuta peratus jiran "
     "tumpuan dikenali mac jun julai disember sepanyol perancis itali inggeris lepas berlaku "
     "walaupun mendapat membuat pukul",
     ""},
    {"id", Script::latin,
     "yang dan di ke dari ini itu untuk dengan tidak pada dalam akan telah adalah oleh saya "
     "kami kita mereka dia anda kamu karena bahwa bisa merupakan yaitu sedangkan kepada hanya "
     "polisi kota pria mau saat ketika pemerintah perusahaan universitas tim pertandingan "
     "parlemen agustus minggu senin kamis jumat uang coba mengatakan direktur petugas dokter "
     "menit partai kantor tersebut seperti juga ada orang sudah terima kasih selamat apa "
     "penjualan presiden barat memiliki menyebabkan jika terdapat serikat sekretaris "
     "persidangan amerika kampanye penonton ketua mulai setelah sebelum mengenai diperkirakan "
     "memberi melalui masa hari mobil pemilihan jumlah namun korban tembakan klub penyerang "
     "gol bola turnamen wanita siswa sekolah perguruan sore pagi dibandingkan sebanyak "
     "terhadap kata ingin tak aku gak nggak sangat dapat lagi banyak para beberapa tahun "
     "inggris menjadi merek belanja dekade toko bagian internasional tantangan berarti "
     "artinya nyaman tropis pemilih stasiun berbagai jutaan persen tetangga fokus dikenal "
     "maret juni juli desember spanyol prancis italia istri istrinya hewan terjadi "
     "menambahkan memberikan lalu meskipun mendapatkan membuat pukul sebuah tapi uni eropa "
     "cina semua",
     ""},
    {"tl", Script::latin,
     "ang ng sa na mga ay at si ni kay ito iyon ako ko mo niya siya ka ikaw kami tayo sila nila "
     "hindi may mayroon para kung po opo oo kamusta kumusta salamat ano sino saan kailan bakit "
     "paano wala pa lang din rin naman nang dahil pero isang isa noong mula upang kanyang kanilang "
     "mahal magandang maganda umaga gusto niyo natin namin",
     ""},
    {"pl", Script::latin,
     "i w z na do nie się to że jest jak o co ale za od po tak ten ta te ja ty on ona my wy "
     "oni był była było są być mam ma masz może tylko już jego jej ich dla czy przez przed "
     "tym tego który która które gdzie kiedy dlaczego kto dziękuję dzień dobry cześć bardzo "
     "mnie mi cię ci jestem jesteś lub oraz mogę chcę teraz dzisiaj wczoraj jutro zawsze "
     "nigdy dobrze wszystko coś ktoś też jeszcze przy pan",
     "ąćęłńóśźż"},
    {"cs", Script::latin,
     "a v na se je že to s z do o i k ve pro za po ale jak tak jsem jsi jsme jste jsou byl "
     "byla bylo být má mám máš já ty on ona my vy oni co kdo kde kdy proč není už jen by si "
     "mi mě tě ti jeho její jejich který která které děkuji dobrý den ahoj prosím velmi nebo "
     "také od při podle můžu chci teď dnes včera zítra vždy nikdy dobře všechno něco někdo "
     "ještě když tento",
     "áčďéěíňóřšťúůýž"},
    {"nl", Script::latin,
     "de het een en van in is dat die niet op te zijn met voor ik je jij hij zij ze we wij u "
     "er aan om maar ook als bij nog naar uit dan of wat wie waar heb hebt heeft hebben was "
     "waren ben bent wordt worden werd kan door over hem haar mijn jouw geen meer zo hier "
     "daar dank bedankt hallo goed goede ja nee alstublieft wel al tot deze dit toen doodt "
     "veel moet kunnen zal zou nu altijd nooit niets iets iemand weet wil gaan komt vandaag "
     "morgen gisteren tijd jaar mensen doen maken zegt",
     "ëïĳ"},
    {"", Script::latin,
     "og å jag är på och inte att ett sunt și să és egy nem hogy ovat eta ir tai",
     "åøæþðăâțșőűģķļņēīūāđħ"},
    {"ru", Script::cyrillic,
     "и в не на что с он как это я а то но она так его все из у по же к за мы бы вы ты от о для ее "
     "мне был была было были есть только еще меня нет да когда уже или при до если где кто чтобы "
     "очень спасибо привет здравствуйте который после также",
     "ыэёъ"},
    {"uk", Script::cyrillic,
     "і в не на що з він як це я а та то але вона так його все із у по ж до за ми би ви ти від о "
     "для "
     "її мені був була було були є лише ще мене ні коли вже або при якщо де хто щоб дуже дякую "
     "привіт який після також й зі про",
     "іїєґ"},
    {"kk", Script::cyrillic,
     "және мен бұл бір үшін да де деп осы ол оның емес бар жоқ болды болып еді екен біз сіз сен не "
     "қалай кім қайда рахмет сәлем өте көп жаста туралы кейін дейін ғана",
     "қғұәһңі"},
    {"mn", Script::cyrillic,
     "байна байв байсан бол нь юм гэж энэ тэр би чи та бид тэд ба болон дээр доор хийсэн гэсэн "
     "болсон байгаа өөр их маш уу үү вэ бэ баярлалаа сайн оны жил настай ч л шүү дээ байлаа",
     "өүэыё"},
    {"", Script::cyrillic, "је се да сам су ово није у и на е са от ще съм са това", "ђјљњћџѓќѕў"},
    {"ar", Script::arabic,
     "في من على إلى أن هذا هذه التي الذي كان كانت عن مع ما لا لم هو هي هم أنا أنت نحن قال كل بعد "
     "قبل "
     "أو ثم شكرا مرحبا نعم كيف أين لماذا ماذا السلام عليكم و كما قد",
     "ةكيىإأؤ"},
    {"fa", Script::arabic,
     "و در به از که این را با است برای آن یک خود تا بر هم نیز شد بود می من تو او ما شما آنها نیست "
     "هست چه چرا کجا کی سلام ممنون متشکرم بله خیر های کرد شده ها",
     "پچژگکی"},
    {"ur", Script::arabic,
     "کے کی میں ہے اور سے کا کو نے ہیں یہ اس کہ پر ایک وہ بھی نہیں تھا تھی تھے ہو کر میرا آپ ہم تم "
     "کیا کیوں کہاں شکریہ سلام جی ہاں تھا گیا لیے ساتھ",
     "ٹڈڑںےہھپچگکی"},
    {"ug", Script::arabic,
     "ۋە بىلەن بۇ ئۇ بىر مەن سەن بىز سىز ئۇلار ئۈچۈن ھەم دەپ ئەمەس بار يوق بولغان رەھمەت "
     "ياخشىمۇسىز "
     "نېمە كىم قانداق كېيىن",
     "ېۈۆۋڭەۇئىكيپچگژھ"},
    {"kk", Script::arabic, "جانە مەن بۇل ءبىر ءۇشىن دا دە ول ەمەس بار جوق", "ۇۋڭەٴءپچگ"},
    {"", Script::arabic, "د په او چې سره ته دی له کې لە بە کە بۆ ئەو", "ټډړښږځڅۍګڼڀٿٽڻڕڵێ"},
    {"hi", Script::devanagari,
     "है हैं के की का में से और को नहीं यह वह मैं तुम आप हम क्या था थी थे हो पर ने कि एक इस उस भी तो "
     "कर लिए गया नमस्ते धन्यवाद हाँ कैसे कहाँ क्यों कौन",
     ""},
    {"mr", Script::devanagari,
     "आहे आहेत आणि होते होता होती नाही केले केली केला ते या तो ती मी तू आम्ही तुम्ही त्या काय झाले "
     "झाली झाला हे ही हा मध्ये पण व असे एक की कसे कुठे का कोण धन्यवाद नमस्कार असून यांनी त्यांनी "
     "करून नंतर",
     "ळ"},
    {"", Script::devanagari, "छ छन् र हो मा लाई गर्न भने पनि यो त्यो", ""},
});

}  // namespace hymt::translate
