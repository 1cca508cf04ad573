package io.viaduct.diameter;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.diameter.accounting.ServiceFact;
import io.viaduct.diameter.dictionary.AvpDefinition;
import io.viaduct.diameter.dictionary.Dictionary;
import io.viaduct.diameter.message.Messages;
import io.viaduct.diameter.message.Refusal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// The tables and bytes of docs/diameter.md are those of the code.
class DiameterPageTest {
  private final String page;

  DiameterPageTest() throws IOException {
    page = Files.readString(Path.of(System.getProperty("viaduct.root"), "docs/diameter.md"));
  }

  /// Returns the rows of the table with this head.
  private List<String> rows(String head) {
    return page.lines()
        .dropWhile(line -> !line.equals(head))
        .skip(2)
        .takeWhile(line -> line.startsWith("|"))
        .toList();
  }

  @Test
  void theTableOfAvpsIsTheDictionary() {
    assertThat(rows("| AVP | code | vendor | format | M bit |"))
        .containsExactlyElementsOf(
            Dictionary.standard().avps().stream().map(DiameterPageTest::row).toList());
  }

  private static String row(AvpDefinition avp) {
    String vendor =
        avp.key().vendor() == 0 ? "" : avp.key().vendor() == 10_415 ? "3GPP" : "unknown";
    String mandatory =
        switch (avp.mandatory()) {
          case SET -> "M";
          case OPTIONAL -> "";
          case CLEAR -> "never";
        };
    return "| %s | %d | %s | %s | %s |"
        .formatted(avp.name(), avp.key().code(), vendor, avp.type().text(), mandatory);
  }

  @Test
  void theTableOfReasonsIsTheEnum() {
    assertThat(rows("| reason | Result-Code | ends the connection |"))
        .containsExactlyElementsOf(
            Arrays.stream(Refusal.values())
                .map(one ->
                    "| %s | %d | %s |"
                        .formatted(one, one.resultCode(), one.endsStream() ? "yes" : ""))
                .toList());
  }

  @Test
  void theTableOfFactsIsTheEnum() {
    assertThat(rows("| Service-Specific-Type | fact | Service-Specific-Data |"))
        .map(row -> String.join("|", Arrays.copyOfRange(row.split("\\|"), 1, 3)))
        .containsExactlyElementsOf(
            Arrays.stream(ServiceFact.values())
                .map(fact -> " %d | %s ".formatted(fact.type(), fact))
                .toList());
  }

  @Test
  void theGoldenBytesAreThoseOfTheMessages() {
    assertThat(golden("device-watchdog")).isEqualTo(Messages.watchdog().encode());
    assertThat(golden("accounting")).isEqualTo(Messages.accounting().encode());
  }

  private byte[] golden(String name) {
    return Pattern.compile("golden-diameter " + name + " ([0-9a-f]+)")
        .matcher(page)
        .results()
        .map(line -> HexFormat.of().parseHex(line.group(1)))
        .findFirst()
        .orElseThrow();
  }
}
