// Made by Scripts/generate-media-types. Do not change it by hand.

extension MediaTypes {
    /// Each line begins with what its types have in common; further words are the rest of a type, and its extensions.
    static let table = """
        application/ A2L:a2l AML:aml ATF:atf ATFX:atfx ATXML:atxml CDFX+XML:cdfx CEA:cea DCD:dcd DII:dii DIT:dit LXF:lxf
        application/ MF4:mf4 ODA:oda ODX:odx PDX:pdx andrew-inset:ez annodex:anx atom+xml:atom atomcat+xml:atomcat
        application/ atomdeleted+xml:atomdeleted atomserv+xml:atomsrv atomsvc+xml:atomsvc atsc-dwd+xml:dwd
        application/ atsc-held+xml:held atsc-rsat+xml:rsat auth-policy+xml:apxml automationml-amlx+zip:amlx
        application/ bacnet-xdd+zip:xdd bbolin:lin calendar+xml:xcs cbor:cbor cccex:c3ex ccmp+xml:ccmp ccxml+xml:ccxml
        application/ cdmi-capability:cdmia cdmi-container:cdmic cdmi-domain:cdmid cdmi-object:cdmio cdmi-queue:cdmiq
        application/ cellml+xml:cellml:cml clr:1clr clue_info+xml:clue cms:cmsc cpl+xml:cpl csrattrs:csrattrs
        application/ cu-seeme:cu cwl:cwl cwl+json:cwl.json dash+xml:mpd dashdelta:mpdd davmount+xml:davmount dicom:dcm
        application/ dskpp+xml:xmls dsptype:tsp dssc+der:dssc dssc+xml:xdssc dvcs:dvc efi:efi emma+xml:emma
        application/ emotionml+xml:emotionml epub+zip:epub exi:exi express:exp fastinfoset:finf fdf:fdf fdt+xml:fdt
        application/ font-tdpfr:pfr futuresplash:spl geo+json:geojson geopackage+sqlite3:gpkg gltf-buffer:glbin:glbuf
        application/ gml+xml:gml gzip:gz hta:hta hyperstudio:stk inkml+xml:ink:inkml ipfix:ipfix its+xml:its
        application/ java-archive:jar java-serialized-object:ser java-vm:class jrd+json:jrd json:json
        application/ json-patch+json:json-patch jsonl:jsonl ld+json:jsonld lgr+xml:lgr link-format:wlnk lost+xml:lostxml
        application/ lostsync+xml:lostsyncxml lpf+zip:lpf m3g:m3g mac-binhex40:hqx mac-compactpro:cpt mads+xml:mads
        application/ manifest+json:webmanifest marc:mrc marcxml+xml:mrcx mathematica:ma:mb mathml+xml:mml mbox:mbox
        application/ metalink4+xml:meta4 mets+xml:mets mmt-aei+xml:maei mmt-usd+xml:musd mods+xml:mods mp21:m21:mp21
        application/ msaccess:mdb msword:doc mxf:mxf n-quads:nq n-triples:nt ocsp-request:orq ocsp-response:ors
        application/ octet-stream:bin:deploy:msp:msu oebps-package+xml:opf ogg:ogx onenote:one:onepkg:onetmp:onetoc2
        application/ oxps:oxps p21:210:ifc:p21:stpnc p2p-overlay+xml:relo pdf:pdf pem-certificate-chain:pem
        application/ pgp-encrypted:pgp pgp-keys:asc:key pgp-signature:sig pics-rules:prf pkcs10:p10 pkcs12:p12:pfx
        application/ pkcs7-mime:p7c:p7m:p7z pkcs7-signature:p7s pkcs8:p8 pkcs8-encrypted:p8e pkix-attr-cert:ac
        application/ pkix-cert:cer pkix-crl:crl pkix-pkipath:pkipath pkixcmp:pki
        application/ postscript:ai:eps:eps2:eps3:epsf:epsi:ps provenance+xml:provx prs.cww:cw:cww prs.hpub+zip:hpub
        application/ prs.nprend:rct:rnd prs.rdf-xml-crypt:rdf-crypt prs.xsf+xml:xsf pskc+xml:pskcxml rdf+xml:rdf
        application/ reginfo+xml:rif relax-ng-compact-syntax:rnc resource-lists+xml:rl resource-lists-diff+xml:rld
        application/ rfc+xml:rfcxml rls-services+xml:rs route-apd+xml:rapd route-s-tsid+xml:sls route-usd+xml:rusd
        application/ rpki-ghostbusters:gbr rpki-manifest:mft rpki-roa:roa rtf:rtf sarif+json:sarif:sarif.json
        application/ sarif-external-properties+json:sarif-external-properties:sarif-external-properties.json
        application/ scim+json:scim scvp-cv-request:scq scvp-cv-response:scs scvp-vp-request:spq scvp-vp-response:spp
        application/ sdp:sdp senml+cbor:senmlc senml+json:senml senml+xml:senmlx senml-etch+cbor:senml-etchc
        application/ senml-etch+json:senml-etchj senml-exi:senmle sensml+cbor:sensmlc sensml+json:sensml
        application/ sensml+xml:sensmlx sensml-exi:sensmle sgml-open-catalog:soc shf+xml:shf sieve:sieve:siv
        application/ simple-filter+xml:cl smil+xml:smi:smil:sml sparql-query:rq sparql-results+xml:srx
        application/ spdx+json:spdx.json sql:sql srgs:gram srgs+xml:grxml sru+xml:sru ssml+xml:ssml stix+json:stix
        application/ swid+cbor:coswid swid+xml:swidtag tamp-apex-update:tau tamp-apex-update-confirm:auc
        application/ tamp-community-update:tcu tamp-community-update-confirm:cuc tamp-error:ter tamp-sequence-adjust:tsa
        application/ tamp-sequence-adjust-confirm:sac tamp-update:tur tamp-update-confirm:tuc td+json:jsontd
        application/ tei+xml:odd:tei:teicorpus thraud+xml:tfi timestamp-query:tsq timestamp-reply:tsr
        application/ timestamped-data:tsd tm+json:jsontm:tm.json:tm.jsonld toml:toml trig:trig ttml+xml:ttml
        application/ urc-grpsheet+xml:gsheet urc-ressheet+xml:rsheet urc-targetdesc+xml:td urc-uisocketdesc+xml:uis
        application/ voicexml+xml:vxml voucher-cms+json:vcj wasm:wasm watcherinfo+xml:wif widget:wgt wsdl+xml:wsdl
        application/ wspolicy+xml:wspolicy xcap-att+xml:xav xcap-caps+xml:xca xcap-diff+xml:xdf xcap-el+xml:xel
        application/ xcap-error+xml:xer xcap-ns+xml:xns xfdf:xfdf xhtml+xml:xht:xhtm:xhtml xliff+xml:xlf xml:xml
        application/ xml-dtd:dtd:mod xml-external-parsed-entity:ent xop+xml:xop xslt+xml:xsl:xslt xspf+xml:xspf
        application/ xv+xml:mxml:xhvml:xvm:xvml yaml:yaml:yml yang:yang yin+xml:yin zip:zip zstd:zst
        application/vnd. 1000minds.decision-model+xml:1km 3M.Post-it-Notes:pwn 3gpp.pic-bw-large:plb
        application/vnd. 3gpp.pic-bw-small:psb 3gpp.pic-bw-var:pvb 3gpp2.sms:sms 3gpp2.tcap:tcap
        application/vnd. 3lightssoftware.imagescal:imgcal FloGraphIt:gph HandHeld-Entertainment+xml:zmm
        application/vnd. Kinar:kne:knp:sdf MFER:mwf Mobius.DAF:daf Mobius.DIS:dis Mobius.MBK:mbk Mobius.MQY:mqy
        application/vnd. Mobius.MSL:msl Mobius.PLC:plc Mobius.TXF:txf Quark.QuarkXPress:qwd:qwt:qxb:qxd:qxl:qxt
        application/vnd. SimTech-MindMapper:twd:twds accpac.simply.aso:aso accpac.simply.imp:imp acucobol:acu
        application/vnd. acucorp:acutc:atc adobe.flash.movie:swf adobe.formscentral.fcdt:fcdt adobe.fxp:fxp:fxpl
        application/vnd. adobe.xdp+xml:xdp afpc.modca:afp:list3820:listafp:pseg3820 afpc.modca-overlay:ovl
        application/vnd. afpc.modca-pagesegment:psg age:age ahead.space:ahead airzip.filesecure.azf:azf
        application/vnd. airzip.filesecure.azs:azs amazon.mobi8-ebook:azw3 americandynamics.acc:acc amiga.ami:ami
        application/vnd. android.ota:ota android.package-archive:apk anki:apkg
        application/vnd. anser-web-certificate-issue-initiation:cii anser-web-funds-transfer-initiation:fti
        application/vnd. apache.arrow.file:arrow apache.arrow.stream:arrows apache.parquet:parquet
        application/vnd. apexlang:apex:apexlang apple.installer+xml:dist:distz:mpkg:pkg apple.keynote:keynote
        application/vnd. apple.mpegurl:m3u8 apple.numbers:numbers apple.pages:pages aristanetworks.swi:swi
        application/vnd. artisan+json:artisan astraea-software.iota:iota audiograph:aep autopackage:package
        application/vnd. balsamiq.bmml+xml:bmml balsamiq.bmpr:bmpr banana-accounting:ac2 belightsoft.lhzd+zip:lhzd
        application/vnd. belightsoft.lhzl+zip:lhzl blueice.multipass:mpm bluetooth.ep.oob:ep bluetooth.le.oob:le bmi:bmi
        application/vnd. businessobjects:rep cendio.thinlinc.clientconf:tlclient chemdraw+xml:cdxml chess-pgn:pgn
        application/vnd. chipnuts.karaoke-mmd:mmd cinderella:cdy citationstyles.style+xml:csl claymore:cla
        application/vnd. cloanto.rp9:rp9 clonk.c4group:c4d:c4f:c4g:c4p:c4u cluetrust.cartomobile-config:c11amc
        application/vnd. cluetrust.cartomobile-config-pkg:c11amz coffeescript:coffee collabio.xodocuments.document:xodt
        application/vnd. collabio.xodocuments.document-template:xott collabio.xodocuments.presentation:xodp
        application/vnd. collabio.xodocuments.presentation-template:xotp collabio.xodocuments.spreadsheet:xods
        application/vnd. collabio.xodocuments.spreadsheet-template:xots comicbook+zip:cbz comicbook-rar:cbr
        application/vnd. commerce-battelle:ic0:ic1:ic2:ic3:ic4:ic5:ic6:ic7:ic8:icd:icf commonspace:csp:cst
        application/vnd. contact.cmsg:cdbcmsg coreos.ignition+json:ign:ignition cosmocaller:cmc crick.clicker:clkx
        application/vnd. crick.clicker.keyboard:clkk crick.clicker.palette:clkp crick.clicker.template:clkt
        application/vnd. crick.clicker.wordbank:clkw criticaltools.wbs+xml:wbs crypto-shade-file:ssvc
        application/vnd. cryptomator.encrypted:c9r:c9s cryptomator.vault:cryptomator ctc-posml:pml cups-ppd:ppd
        application/vnd. dart:dart data-vision.rdz:rdz datalog:dl dbf:dbf debian.binary-package:ddeb:deb:udeb
        application/vnd. dece.data:uvd:uvf:uvvd:uvvf dece.ttml+xml:uvt:uvvt dece.unspecified:uvvx:uvx dece.zip:uvvz:uvz
        application/vnd. denovo.fcselayout-link:fe_launch desmume.movie:dsm dna:dna document+json:docjson
        application/vnd. doremir.scorecloud-binary-document:scld dpgraph:dpg:dpgraph:mwc dreamfactory:dfac
        application/vnd. dtg.local.flash:fla dvb.ait:ait dvb.service:svc dynageo:geo dzr:dzr ecowin.chart:mag
        application/vnd. eln+zip:eln enliven:nml epson.esf:esf epson.msf:msf epson.quickanime:qam epson.salt:slt
        application/vnd. epson.ssf:ssf ericsson.quickcall:qca:qcall espass-espass+zip:espass eszigno3+xml:es3:et3
        application/vnd. etsi.asic-e+zip:asice:sce etsi.asic-s+zip:asics etsi.timestamp-token:tst
        application/vnd. eu.kasparian.car+json:carjson evolv.ecig.profile:ecigprofile evolv.ecig.settings:ecig
        application/vnd. evolv.ecig.theme:ecigtheme exstream-empower+zip:mpw exstream-package:pub ezpix-album:ez2
        application/vnd. ezpix-package:ez3 familysearch.gedcom+zip:gdz fastcopy-disk-image:dim fdsn.mseed:msd:mseed
        application/vnd. fdsn.seed:dataless:seed ficlab.flb+zip:flb filmit.zfc:zfc fluxtime.clip:ftc
        application/vnd. font-fontforge-sfd:sfd framemaker:fm fsc.weblaunch:fsc fujitsu.oasys:oas fujitsu.oasys2:oa2
        application/vnd. fujitsu.oasys3:oa3 fujitsu.oasysgp:fg5 fujitsu.oasysprs:bh2 fujixerox.ddd:ddd
        application/vnd. fujixerox.docuworks:xdw fujixerox.docuworks.binder:xbd fujixerox.docuworks.container:xct
        application/vnd. fuzzysheet:fzs genomatix.tuxedo:txd genozip:genozip gentics.grd+json:grd gentoo.ebuild:ebuild
        application/vnd. gentoo.eclass:eclass gentoo.gpkg:gpkg.tar gentoo.xpak:xpak geogebra.file:ggb
        application/vnd. geogebra.slides:ggs geogebra.tool:ggt geometry-explorer:gex:gre geonext:gxt geoplan:g2w
        application/vnd. geospace:g3w google-earth.kml+xml:kml google-earth.kmz:kmz grafeq:gqf:gqs groove-account:gac
        application/vnd. groove-help:ghf groove-identity-message:gim groove-injector:grv groove-tool-message:gtm
        application/vnd. groove-tool-template:tpl groove-vcard:vcg hal+xml:hal hbci:bpd:hbc:hbci:kom:pkd:upa hdt:hdt
        application/vnd. hhe.lesson-player:les hp-HPGL:hpgl hp-PCL:pcl hp-hpid:hpi:hpid hp-hps:hps hp-jlyt:jlt
        application/vnd. hydrostatix.sof-data:sfd-hdstx ibm.MiniPay:mpy ibm.electronic-media:emm
        application/vnd. ibm.rights-management:irm ibm.secure-container:sc iccprofile:icc:icm ieee.1905:1905.1
        application/vnd. igloader:igl imagemeter.folder+zip:imf imagemeter.image+zip:imi immervision-ivp:ivp
        application/vnd. immervision-ivu:ivu ims.imsccv1p1:imscc insors.igm:igm intercon.formnet:xpw:xpx intergeo:i2g
        application/vnd. intu.qbo:qbo intu.qfx:qfx ipld.car:car ipunplugged.rcprofile:rcprofile
        application/vnd. irepository.package+xml:irp is-xpr:xpr isac.fcs:fcs jam:jam jcp.javame.midlet-rms:rms jisp:jisp
        application/vnd. joost.joda-archive:joda kahootz:ktr:ktz kde.karbon:karbon kde.kchart:chrt kde.kformula:kfo
        application/vnd. kde.kivio:flw kde.kontour:kon kde.kpresenter:kpr:kpt kde.kspread:ksp kde.kword:kwd:kwt
        application/vnd. kenameaapp:htke kidspiration:kia koan:skd:skm:skp:skt kodak-descriptor:sse las:las
        application/vnd. las.las+json:lasjson las.las+xml:lasxml llamagraphics.life-balance.desktop:lbd
        application/vnd. llamagraphics.life-balance.exchange+xml:lbe logipipe.circuit+zip:lca:lcs loom:loom
        application/vnd. lotus-1-2-3:123:wk1:wk3:wk4 lotus-approach:apr:vew lotus-freelance:pre:prz
        application/vnd. lotus-notes:ndl:ns2:ns3:ns4:nsf:nsg:nsh:ntf lotus-organizer:or2:or3:org lotus-screencam:scm
        application/vnd. lotus-wordpro:lwp:sam macports.portpkg:portpkg mapbox-vector-tile:mvt marlin.drm.mdcf:mdc
        application/vnd. maxar.archive.3tz+zip:3tz maxmind.maxmind-db:mmdb mcd:mcd medcalcdata:mc1
        application/vnd. mediastation.cdkey:cdkey medicalholodeck.recordxr:rxt mfmp:mfm micrografx.flo:flo
        application/vnd. micrografx.igx:igx mif:mif mophun.application:mpn mophun.certificate:mpc mozilla.xul+xml:xul
        application/vnd. ms-3mfdocument:3mf ms-artgalry:cil ms-asf:asf ms-cab-compressed:cab
        application/vnd. ms-excel:xla:xlc:xlm:xls:xlt:xlw ms-excel.addin.macroEnabled.12:xlam
        application/vnd. ms-excel.sheet.binary.macroEnabled.12:xlsb ms-excel.sheet.macroEnabled.12:xlsm
        application/vnd. ms-excel.template.macroEnabled.12:xltm ms-fontobject:eot ms-htmlhelp:chm ms-ims:ims ms-lrm:lrm
        application/vnd. ms-officetheme:thmx ms-pki.seccat:cat ms-powerpoint:pps:ppt
        application/vnd. ms-powerpoint.addin.macroEnabled.12:ppam ms-powerpoint.presentation.macroEnabled.12:pptm
        application/vnd. ms-powerpoint.slide.macroEnabled.12:sldm ms-powerpoint.slideshow.macroEnabled.12:ppsm
        application/vnd. ms-powerpoint.template.macroEnabled.12:potm ms-project:mpp:mpt ms-tnef:tnef:tnf
        application/vnd. ms-word.document.macroEnabled.12:docm ms-word.template.macroEnabled.12:dotm
        application/vnd. ms-works:wcm:wdb:wks:wps ms-wpl:wpl ms-xpsdocument:xps msa-disk-image:msa mseq:mseq
        application/vnd. multiad.creator:crtr multiad.creator.cif:cif musician:mus muvee.style:msty mynfc:taglet
        application/vnd. nebumind.line:line:nebul nervana:bkm:entity:kcm:request neurolanguage.nlu:nlu nimn:nimn
        application/vnd. nintendo.nitro.rom:nds nintendo.snes.rom:sfc:smc nitf:nitf noblenet-directory:nnd
        application/vnd. noblenet-sealer:nns noblenet-web:nnw nokia.n-gage.data:ngdat nokia.radio-preset:rpst
        application/vnd. nokia.radio-presets:rpss novadigm.EDM:edm novadigm.EDX:edx novadigm.EXT:ext
        application/vnd. oasis.opendocument.base:odb oasis.opendocument.chart:odc oasis.opendocument.chart-template:otc
        application/vnd. oasis.opendocument.formula:odf oasis.opendocument.graphics:odg
        application/vnd. oasis.opendocument.graphics-template:otg oasis.opendocument.image:odi
        application/vnd. oasis.opendocument.image-template:oti oasis.opendocument.presentation:odp
        application/vnd. oasis.opendocument.presentation-template:otp oasis.opendocument.spreadsheet:ods
        application/vnd. oasis.opendocument.spreadsheet-template:ots oasis.opendocument.text:odt
        application/vnd. oasis.opendocument.text-master:odm oasis.opendocument.text-template:ott
        application/vnd. oasis.opendocument.text-web:oth olpc-sugar:xo oma.dd2+xml:dd2 onepager:tam onepagertamp:tamp
        application/vnd. onepagertamx:tamx onepagertat:tat onepagertatp:tatp onepagertatx:tatx openblox.game+xml:obgx
        application/vnd. openblox.game-binary:obg openeye.oeb:oeb openofficeorg.extension:oxt openstreetmap.data+xml:osm
        application/vnd. openxmlformats-officedocument.presentationml.presentation:pptx
        application/vnd. openxmlformats-officedocument.presentationml.slide:sldx
        application/vnd. openxmlformats-officedocument.presentationml.slideshow:ppsx
        application/vnd. openxmlformats-officedocument.presentationml.template:potx
        application/vnd. openxmlformats-officedocument.spreadsheetml.sheet:xlsx
        application/vnd. openxmlformats-officedocument.spreadsheetml.template:xltx
        application/vnd. openxmlformats-officedocument.wordprocessingml.document:docx
        application/vnd. openxmlformats-officedocument.wordprocessingml.template:dotx osa.netdeploy:ndc
        application/vnd. osgeo.mapguide.package:mgp osgi.dp:dp osgi.subsystem:esa oxli.countgraph:oxlicg
        application/vnd. palm:oprc:pdb:pqa panoply:plp patentdive:dive pawaafile:paw pg.format:str pg.osasli:ei6
        application/vnd. piaccess.application-licence:pil picsel:efif pmi.widget:wg pocketlearn:plf powerbuilder6:pbd
        application/vnd. preminet:preminet previewsystems.box:box:vbox proteus.magazine:mgz psfs:psfs
        application/vnd. publishare-delta-tree:qps pvi.ptid1:ptid qualcomm.brew-app-res:bar
        application/vnd. quobject-quoxdocument:quiz:quox rainstor.data:tree rar:rar realvnc.bed:bed
        application/vnd. recordare.musicxml:mxl resilient.logic:reload:rlm rig.cryptonote:cryptonote rim.cod:cod
        application/vnd. route66.link66+xml:link66 sailingtracker.track:st sar:sar scribus:scd:sla:slaz sealed.3df:s3df
        application/vnd. sealed.csf:scsf sealed.doc:s1w:sdo:sdoc sealed.eml:sem:seml sealed.mht:smh:smht
        application/vnd. sealed.ppt:s1p:sppt sealed.tiff:stif sealed.xls:s1e:sxl:sxls sealedmedia.softseal.html:s1h:stml
        application/vnd. sealedmedia.softseal.pdf:s1a:spd:spdf seemail:see sema:sema semd:semd semf:semf
        application/vnd. shade-save-file:ssv shana.informed.formdata:ifm shana.informed.formtemplate:itp
        application/vnd. shana.informed.interchange:iif shana.informed.package:ipk shp:shp shx:shx sigrok.session:sr
        application/vnd. smaf:mmf smart.notebook:notebook smart.teacher:teacher snesdev-page-table:pt:ptrom
        application/vnd. software602.filler.form+xml:fo software602.filler.form-xml-zip:zfo solent.sdkm+xml:sdkd:sdkm
        application/vnd. spotfire.dxp:dxp spotfire.sfs:sfs sqlite3:sqlite:sqlite3 stardivision.calc:sdc
        application/vnd. stardivision.chart:sds stardivision.draw:sda stardivision.impress:sdd stardivision.math:smf
        application/vnd. stardivision.writer:sdw stardivision.writer-global:sgl stepmania.package:smzip
        application/vnd. stepmania.stepchart:sm sun.wadl+xml:wadl sun.xml.calc:sxc sun.xml.calc.template:stc
        application/vnd. sun.xml.draw:sxd sun.xml.draw.template:std sun.xml.impress:sxi sun.xml.impress.template:sti
        application/vnd. sun.xml.math:sxm sun.xml.writer:sxw sun.xml.writer.global:sxg sun.xml.writer.template:stw
        application/vnd. sus-calendar:sus:susp sybyl.mol2:ml2:mol2:sy2 sycle+xml:scl syft+json:syft.json
        application/vnd. symbian.install:sis syncml+xml:xsm syncml.dm+wbxml:bdm syncml.dm+xml:xdm syncml.dmddf+xml:ddf
        application/vnd. tao.intent-module-archive:tao tcpdump.pcap:cap:dmp:pcap theqvd:qvd think-cell.ppttc+json:ppttc
        application/vnd. tml:vfr:viaframe tmobile-livetv:tmo trid.tpt:tpt triscape.mxs:mxs trueapp:tra ufdl:frm:ufd:ufdl
        application/vnd. uiq.theme:utz umajin:umj unity:unityweb uoml+xml:uo:uoml uri-map:urim:urimap
        application/vnd. valve.source.material:vmt vcx:vcx vd-study:model-inter:mxi:study-inter vectorworks:vwx
        application/vnd. veritone.aion+json:aion:vtnstd veryant.thin:istc:isws ves.encrypted:ves
        application/vnd. vidsoft.vidconference:vsc visio:vsd:vss:vst:vsw visionary:vis vsf:vsf wap.sic:sic wap.slc:slc
        application/vnd. wap.wbxml:wbxml wap.wmlc:wmlc wap.wmlscriptc:wmlsc wasmflow.wafl:wafl webturbo:wtb wfa.p2p:p2p
        application/vnd. wfa.wsc:wsc wmc:wmc wolfram.mathematica:nb wolfram.mathematica.package:m wolfram.player:nbp
        application/vnd. wordperfect:wpd wqd:wqd wt.stf:stf wv.csp+wbxml:wv xara:xar xfdl:xfd:xfdl xmpie.cpkg:cpkg
        application/vnd. xmpie.dpkg:dpkg xmpie.ppkg:ppkg xmpie.xlim:xlim yamaha.hv-dic:hvd yamaha.hv-script:hvs
        application/vnd. yamaha.hv-voice:hvp yamaha.openscoreformat:osf yamaha.smaf-audio:saf yamaha.smaf-phrase:spf
        application/vnd. yaoweme:yme yellowriver-custom-menu:cmp zul:zir:zirz zzazz.deck+xml:zaz
        application/x- 123:wk 7z-compressed:7z abiword:abw apple-diskimage:dmg bcpio:bcpio bittorrent:torrent
        application/x- cdf:cda:cdf cdlink:vcd comsol:mph cpio:cpio csh:csh director:dcr:dir:dxr doom:wad dvi:dvi
        application/x- font:gsf:pfa:pfb font-pcf:pcf:pcf.z freemind:mm ganttproject:gan gnumeric:gnumeric go-sgf:sgf
        application/x- graphing-calculator:gcf gtar:gtar gtar-compressed:taz:tgz hdf:hdf hwp:hwp ica:ica info:info
        application/x- internet-signup:ins:isp iphone:iii iso9660-image:iso java-jnlp-file:jnlp jmol:jmz
        application/x- killustrator:kil latex:latex lha:lha lyx:lyx lzh:lzh lzx:lzx maker:book:fb:fbdoc:frame:maker
        application/x- ms-wmd:wmd ms-wmz:wmz msdos-program:bat:com:dll:exe msi:msi ndjson:ndjson netcdf:nc
        application/x- ns-proxy-autoconfig:pac nwc:nwc object:o oz-application:oza pkcs7-certreqresp:p7r
        application/x- python-code:pyc:pyo qgis:qgs quicktimeplayer:qtl rdp:rdp redhat-package-manager:rpm rss+xml:rss
        application/x- ruby:rb scilab:sci scilab-xcos:xcos sh:sh shar:shar silverlight:scr stuffit:sit:sitx
        application/x- sv4cpio:sv4cpio sv4crc:sv4crc tar:tar tcl:tcl tex-gf:gf tex-pk:pk texinfo:texi:texinfo
        application/x- trash:%:bak:old:sik:~ troff-man:man troff-me:me troff-ms:ms ustar:ustar wais-source:src wingz:wz
        application/x- x509-ca-cert:crt xfig:fig xpinstall:xpi xz:xz
        audio/ 32kadpcm:726 AMR:amr AMR-WB:awb ATRAC-ADVANCED-LOSSLESS:aal ATRAC-X:atx ATRAC3:aa3:at3:omg EVRC:evc
        audio/ EVRC-QCP:qcp EVRCB:evb EVRCNW:enw EVRCWB:evw L16:l16 SMV:smv aac:aac:adts:ass ac3:ac3 annodex:axa asc:acn
        audio/ basic:au:snd csound:csd:orc:sco dls:dls flac:flac iLBC:lbc mhas:mhas mobile-xmf:mxmf mp4:m4a
        audio/ mpeg:mp1:mp2:mp3:mpega:mpga mpegurl:m3u ogg:oga:ogg:opus:spx prs.sid:psid:sid sofa:sofa sp-midi:mid
        audio/ usac:loas:xhe vnd.audiokoz:koz vnd.dece.audio:uva:uvva vnd.digital-winds:eol vnd.dolby.mlp:mlp
        audio/ vnd.dts:dts vnd.dts.hd:dtshd vnd.everad.plj:plj vnd.lucent.voice:lvp vnd.ms-playready.media.pya:pya
        audio/ vnd.nortel.vbk:vbk vnd.nuera.ecelp4800:ecelp4800 vnd.nuera.ecelp7470:ecelp7470
        audio/ vnd.nuera.ecelp9600:ecelp9600 vnd.presonus.multitrack:multitrack vnd.rip:rip
        audio/ vnd.sealedmedia.softseal.mpeg:s1m:smp:smp3 x-aiff:aif:aifc:aiff x-ms-wax:wax x-ms-wma:wma
        audio/ x-pn-realaudio:ra:ram:rm x-scpls:pls x-sd2:sd2 x-wav:wav
        chemical/ x-alchemy:alc x-cache:cac:cache x-cache-csf:csf x-cactvs-binary:cascii:cbin:ctab x-cdx:cdx
        chemical/ x-chem3d:c3d x-cmdf:cmdf x-compass:cpa x-crossfire:bsd x-csml:csm:csml x-ctx:ctx x-cxf:cef:cxf
        chemical/ x-embl-dl-nucleotide:emb:embl x-galactic-spc:spc x-gamess-input:gam:gamin:inp
        chemical/ x-gaussian-checkpoint:fch:fchk x-gaussian-cube:cub x-gaussian-input:gau:gjc:gjf x-gaussian-log:gal
        chemical/ x-gcg8-sequence:gcg x-genbank:gen x-hin:hin x-isostar:ist:istr x-jcamp-dx:dx:jdx x-kinemage:kin
        chemical/ x-macmolecule:mcm x-macromodel-input:mmod x-mdl-molfile:mol x-mdl-rdfile:rd x-mdl-rxnfile:rxn
        chemical/ x-mdl-sdfile:sd x-mdl-tgf:tgf x-mmcif:mcif x-molconn-Z:b x-mopac-graph:gpt
        chemical/ x-mopac-input:mop:mopcrt:zmt x-mopac-out:moo x-mopac-vib:mvb x-ncbi-asn1:asn x-ncbi-asn1-ascii:prt
        chemical/ x-ncbi-asn1-binary:val x-rosdal:ros x-swissprot:sw x-vamas-iso14976:vms x-vmd:vmd x-xtel:xtel
        chemical/ x-xyz:xyz
        font/ collection:ttc otf:otf ttf:ttf woff:woff woff2:woff2
        image/ aces:exr apng:apng avci:avci avcs:avcs avif:avif:hif bmp:bmp cgm:cgm dicom-rle:drle dpx:dpx emf:emf
        image/ fits:fit:fits:fts gif:gif heic:heic heic-sequence:heics heif:heif heif-sequence:heifs hej2k:hej2
        image/ hsj2:hsj2 ief:ief jls:jls jp2:jp2:jpg2 jpeg:jfif:jpe:jpeg:jpg jph:jph jphc:jhc:jphc jpm:jpgm:jpm
        image/ jpx:jpf:jpx jxl:jxl jxr:jxr jxrA:jxra jxrS:jxrs jxs:jxs jxsc:jxsc jxsi:jxsi jxss:jxss ktx:ktx ktx2:ktx2
        image/ png:png prs.btif:btf:btif prs.pti:pti svg+xml:svg:svgz tiff:tif:tiff tiff-fx:tfx vnd.adobe.photoshop:psd
        image/ vnd.airzip.accelerator.azv:azv vnd.dece.graphic:uvg:uvi:uvvg:uvvi vnd.djvu:djv:djvu vnd.dwg:dwg
        image/ vnd.dxf:dxf vnd.fastbidsheet:fbs vnd.fpx:fpx vnd.fst:fst vnd.fujixerox.edmics-mmr:mmr
        image/ vnd.fujixerox.edmics-rlc:rlc vnd.globalgraphics.pgb:pgb vnd.microsoft.icon:ico vnd.ms-modi:mdi
        image/ vnd.pco.b16:b16 vnd.radiance:hdr:rgbe:xyze vnd.sealed.png:s1n:spn:spng
        image/ vnd.sealedmedia.softseal.gif:s1g:sgi:sgif vnd.sealedmedia.softseal.jpg:s1j:sjp:sjpg vnd.tencent.tap:tap
        image/ vnd.valve.source.texture:vtf vnd.wap.wbmp:wbmp vnd.xiff:xif vnd.zbrush.pcx:pcx webp:webp wmf:wmf
        image/ x-canon-cr2:cr2 x-canon-crw:crw x-cmu-raster:ras x-coreldraw:cdr x-coreldrawpattern:pat
        image/ x-coreldrawtemplate:cdt x-epson-erf:erf x-jng:jng x-nikon-nef:nef x-olympus-orf:orf x-portable-anymap:pnm
        image/ x-portable-bitmap:pbm x-portable-graymap:pgm x-portable-pixmap:ppm x-rgb:rgb x-xbitmap:xbm x-xcf:xcf
        image/ x-xpixmap:xpm x-xwindowdump:xwd
        message/ global:u8msg global-delivery-status:u8dsn global-disposition-notification:u8mdn global-headers:u8hdr
        message/ rfc822:art:eml:mail
        model/ JT:jt gltf+json:gltf gltf-binary:glb iges:iges:igs mesh:mesh:msh:silo mtl:mtl obj:obj prc:prc
        model/ step:step:stp step+xml:stpx step+zip:stpz step-xml+zip:stpxz stl:stl u3d:u3d vnd.cld:cld
        model/ vnd.collada+xml:dae vnd.dwf:dwf vnd.gdl:dor:gdl:gsm:ism:lmp:msm:rsm:win vnd.gtw:gtw vnd.moml+xml:moml
        model/ vnd.mts:mts vnd.opengex:ogex vnd.parasolid.transmit.binary:x_b:xmt_bin
        model/ vnd.parasolid.transmit.text:x_t:xmt_txt vnd.pytha.pyox:pyox vnd.sap.vds:vds vnd.usda:usda
        model/ vnd.usdz+zip:usdz vnd.valve.source.compiled-map:bsp vnd.vtu:vtu vrml:vrm:vrml:wrl x3d+fastinfoset:x3db
        model/ x3d+xml:x3d:x3dz x3d-vrml:x3dv:x3dvz
        multipart/ vnd.bint.med-plus:bmed voice-message:vpm
        text/ SGML:sgm:sgml cache-manifest:appcache:manifest calendar:ics:ifb cql:cql css:css csv:csv csv-schema:csvs
        text/ dns:soa:zone gff3:gff3 html:htm:html:shtml javascript:cjs:es:js:mjs jcr-cnd:cnd markdown:markdown:md
        text/ mizar:miz n3:n3 plain:brf:conf:ini:log:pot:srt:text:txt provenance-notation:provn prs.fallenstein.rst:rst
        text/ prs.lines.tag:dsc:tag shaclc:shaclc:shc shex:shex spdx:spdx tab-separated-values:tsv texmacs:tm
        text/ troff:roff:t:tr turtle:ttl uri-list:uri:uris vcard:vcard:vcf vnd.DMClientScript:dms vnd.a:a vnd.abc:abc
        text/ vnd.ascii-art:ascii vnd.curl:curl vnd.debian.copyright:copyright vnd.esmertec.theme-descriptor:jtd
        text/ vnd.exchangeable:vfk vnd.familysearch.gedcom:ged vnd.ficlab.flt:flt vnd.fly:fly vnd.fmi.flexstor:flx
        text/ vnd.graphviz:dot:gv vnd.hans:hans vnd.hgl:hgl vnd.in3d.3dml:3dm:3dml vnd.in3d.spot:spo:spot
        text/ vnd.ms-mediapackage:mpf vnd.net2phone.commcenter.command:ccc vnd.senx.warpscript:mc2 vnd.sosi:sos
        text/ vnd.sun.j2me.app-descriptor:jad vnd.wap.si:si vnd.wap.sl:sl vnd.wap.wml:wml vnd.wap.wmlscript:wmls vtt:vtt
        text/ wgsl:wgsl x-bibtex:bib x-boo:boo x-c++hdr:h++:hh:hpp:hxx x-c++src:c++:cc:cpp:cxx x-chdr:h x-component:htc
        text/ x-csrc:c x-diff:diff:patch x-dsrc:d x-haskell:hs x-java:java x-lilypond:ly x-literate-haskell:lhs
        text/ x-moc:moc x-pascal:p:pas x-pcs-gcd:gcd x-perl:pl:pm x-python:py x-scala:scala x-setext:etx x-sfv:sfv
        text/ x-swift:swift x-tcl:tk x-tex:cls:ltx:sty:tex x-vcalendar:vcs
        video/ annodex:axv dv:dif:dv fli:fli gl:gl iso.segment:m4s mj2:mj2:mjp2 mp2t:m2ts:ts mp4:m4v:mp4:mpg4
        video/ mpeg:m1v:m2v:mpe:mpeg:mpg ogg:ogv quicktime:mov:qt vnd.dece.hd:uvh:uvvh vnd.dece.mobile:uvm:uvvm
        video/ vnd.dece.mp4:uvu:uvvu vnd.dece.pd:uvp:uvvp vnd.dece.sd:uvs:uvvs vnd.dece.video:uvv:uvvv vnd.dvb.file:dvb
        video/ vnd.fvt:fvt vnd.mpegurl:m4u:mxu vnd.ms-playready.media.pyv:pyv vnd.nokia.interleaved-multimedia:nim
        video/ vnd.radgamettools.bink:bik:bk2 vnd.radgamettools.smacker:smk vnd.sealed.mpeg1:s11:smpg
        video/ vnd.sealed.mpeg4:s14 vnd.sealed.swf:ssw:sswf vnd.sealedmedia.softseal.mov:s1q:smo:smov vnd.vivo:viv
        video/ vnd.youtube.yt:yt webm:webm x-flv:flv x-la-asf:lsf:lsx x-matroska:mkv:mpv x-mng:mng x-ms-wm:wm
        video/ x-ms-wmv:wmv x-ms-wmx:wmx x-ms-wvx:wvx x-msvideo:avi x-sgi-movie:movie
        """
}
