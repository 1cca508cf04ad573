package io.viaduct.cnapt.classification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.viaduct.service.configuration.ConfigurationException;
import io.viaduct.tunnel.wire.ServiceClass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClassificationTest {
  private static final Classifier BUILT_IN = Applications.classifier(Optional.empty());

  @TempDir Path folder;

  private static Application decide(String protocol, int local, int remote, String process) {
    int number =
        switch (protocol) {
          case "tcp" -> 6;
          case "udp" -> 17;
          default -> 1;
        };
    return BUILT_IN.classify(
        new FlowIdentity(number, local, remote), process.equals("-") ? null : process);
  }

  /// Checks all 12 rows of Table I of the main paper, with their class in the paper.
  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          # protocol, local port, remote port, process, application, class
          udp,  50041, 3480,  skypeforlinux,   skype-video,    HT_LD
          udp,  50007, 3480,  skypeforlinux,   skype-voice,    HT_LD
          tcp,  40000, 2222,  ssh,             ssh,            LT_LD
          tcp,  40000, 22,    -,               ssh,            LT_LD
          tcp,  40000, 443,   firefox,         web,            HT_HD
          tcp,  40000, 80,    -,               web,            HT_HD
          udp,  40000, 443,   -,               web,            HT_HD
          tcp,  40000, 21,    -,               ftp,            HT_HD
          tcp,  40000, 51234, lftp,            ftp,            HT_HD
          udp,  40000, 19305, chrome,          hangout-video,  HT_LD
          tcp,  40000, 5222,  -,               hangout-chat,   LT_LD
          tcp,  40000, 3389,  -,               remote-desktop, LT_LD
          tcp,  40000, 443,   xfreerdp,        remote-desktop, LT_LD
          tcp,  40000, 443,   teamviewerd,     teamviewer,     HT_LD
          udp,  40000, 5938,  -,               teamviewer,     HT_LD
          tcp,  40000, 443,   gnome-shell,     applets,        LT_HD
          tcp,  40000, 9999,  -,               default-tcp,    LT_HD
          tcp,  40000, 9999,  nc,              default-tcp,    LT_HD
          udp,  40000, 9999,  -,               default-udp,    HT_LD
          icmp, 7,     7,     -,               default-udp,    HT_LD
          """)
  void everyRowOfTheTableIsDecidedAsThePaperPrintsIt(
      String protocol, int local, int remote, String process, String name, ServiceClass expected) {
    Application decided = decide(protocol, local, remote, process);
    assertThat(decided.name()).isEqualTo(name);
    assertThat(decided.serviceClass()).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          # protocol, local port, remote port, process, application, class
          udp,  40000, 53,    firefox,         dns,            LT_LD
          tcp,  40000, 853,   -,               dns,            LT_LD
          udp,  123,   123,   chronyd,         time,           LT_LD
          udp,  5060,  5060,  linphone,        signalling,     LT_LD
          tcp,  40000, 5061,  -,               signalling,     LT_LD
          udp,  7078,  31234, linphone,        voice-call,     HT_LD
          udp,  40000, 5004,  -,               voice-call,     HT_LD
          udp,  40000, 443,   firefox,         web,            HT_HD
          udp,  40000, 51111, firefox,         video-call,     HT_LD
          udp,  40000, 3478,  -,               video-call,     HT_LD
          udp,  40000, 8801,  -,               video-call,     HT_LD
          udp,  40000, 27015, -,               game,           LT_LD
          tcp,  40000, 993,   -,               mail,           LT_HD
          tcp,  40000, 443,   thunderbird,     mail,           LT_HD
          tcp,  40000, 5223,  -,               push,           LT_HD
          udp,  40000, 51820, -,               vpn,            HT_LD
          udp,  4500,  4500,  charon,          vpn,            HT_LD
          """)
  void whatPeopleUseTodayHasANameOfItsOwn(
      String protocol, int local, int remote, String process, String name, ServiceClass expected) {
    Application decided = decide(protocol, local, remote, process);
    assertThat(decided.name()).isEqualTo(name);
    assertThat(decided.serviceClass()).isEqualTo(expected);
  }

  @Test
  void thePapersRowsWinOverThePapersNumericRule() {
    // By its numbers, 30 kbit/s would be LT and 3 s would be HD. The table overrides the numbers.
    assertThat(decide("udp", 50001, 3480, "skype").serviceClass()).isEqualTo(ServiceClass.HT_LD);
    assertThat(decide("tcp", 40000, 5228, "-").serviceClass()).isEqualTo(ServiceClass.LT_LD);
  }

  @Test
  void theTableHasTheNamesThatTheBillKnows() {
    assertThat(BUILT_IN.applications())
        .extracting(Application::name)
        .containsExactly(
            "skype-video",
            "skype-voice",
            "ssh",
            "web",
            "ftp",
            "hangout-video",
            "hangout-chat",
            "remote-desktop",
            "teamviewer",
            "applets",
            "default-tcp",
            "default-udp",
            "dns",
            "time",
            "signalling",
            "voice-call",
            "video-call",
            "game",
            "push",
            "mail",
            "vpn");
    assertThat(BUILT_IN.applications())
        .extracting(Application::index)
        .containsExactlyElementsOf(IntStream.range(0, 21).boxed().toList());
  }

  @ParameterizedTest
  @CsvSource({
    "64,   1000, HT_LD",
    "63.9, 1000, LT_LD",
    "64,   1001, HT_HD",
    "63.9, 1001, LT_HD",
    "64,   ,     HT_HD",
    ",     1000, LT_LD"
  })
  void theNumericRuleDecidesWhereAnEntryGivesNumbersAndNoClass(
      String throughput, String delay, ServiceClass expected) throws IOException {
    String numbers =
        (throughput == null ? "" : ", min-kbit-per-second: " + throughput)
            + (delay == null ? "" : ", max-delay-ms: " + delay);
    Classifier own =
        own(
            "applications: [{name: game"
                + numbers
                + "}, {name: default-tcp, class: LT_HD},"
                + " {name: default-udp, class: HT_LD}]\nrules: [{application: game, ports: [7777]}]");
    assertThat(own.classify(new FlowIdentity(17, 1, 7777), null).serviceClass())
        .isEqualTo(expected);
  }

  @Test
  void theFirstMatchingRuleWins() throws IOException {
    Classifier own =
        own("rules: [{application: ssh, ports: [1-100]}, {application: web, ports: [80]}]");
    assertThat(own.classify(new FlowIdentity(6, 1, 80), null).name()).isEqualTo("ssh");
  }

  @Test
  void aRuleThatNamesAProcessWaitsForTheProcess() {
    assertThat(decide("tcp", 40000, 443, "-").name()).isEqualTo("web");
    assertThat(decide("tcp", 40000, 443, "xfreerdp").name()).isEqualTo("remote-desktop");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "rules: [{application: quake, ports: [1]}] | rule 1: unknown application 'quake'",
        "rules: [{application: ssh, port: [1]}] | rule 1: unknown key 'port'",
        "rules: [{application: ssh}] | rule 1 (ssh): needs a process, a protocol or ports",
        "rules: [{application: ssh, protocol: sctp}] | protocol must be tcp, udp or any, got 'sctp'",
        "rules: [{application: ssh, ports: [70000]}] | got '70000'",
        "rules: [{application: ssh, ports: [9-5]}] | got '9-5'",
        "rules: [{application: ssh, ports: 22}] | ports must be a list",
        "rules: [{application: ssh, ports: [22]}, {application: web, ports: [22]}] | rule 2 (web) can never decide: rule 1 asks the same",
        "applications: [{name: a, class: HT_LD}, {name: a, class: LT_LD}] | application 'a' stands twice",
        "applications: [{name: a, class: FAST}] | application 'a': class must be one of LT_LD, HT_LD, LT_HD, HT_HD, got 'FAST'",
        "applications: [{name: a}] | application 'a': needs a class, or numbers",
        "applications: [{name: a, class: HT_LD, colour: red}] | application 1: unknown key 'colour'",
        "applications: [{name: a, max-delay-ms: -1}] | max-delay-ms must be a number above 0, got '-1'",
        "applications: [{name: 12345678901234567890123456789012345678901, class: HT_LD}] | needs the key 'name'",
        "applications: [{name: \"12345678901234567890123456789012345678901\", class: HT_LD}] | name must be 1 to 40 of a-z, 0-9 and ._-",
        "applications: [{name: My Web, class: HT_LD}] | name must be 1 to 40 of a-z, 0-9 and ._-, got 'My Web'",
        "applications: [{class: HT_LD}] | application 1: needs the key 'name'",
        "applications: [{name: default-tcp, class: HT_LD}]\nrules: [] | application 'default-udp' must be in the table",
        "programs: [] | unknown key 'programs'"
      })
  void whatIsWrongIsRefusedWithItsPlaceAndName(String line) {
    String[] parts = line.split(" \\| ");
    assertThatThrownBy(() -> own(parts[0]))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining(parts[1])
        .hasMessageContaining("own.yml");
  }

  private Classifier own(String text) throws IOException {
    Path file = Files.writeString(folder.resolve("own.yml"), text);
    return Applications.classifier(Optional.of(file));
  }
}
