package io.viaduct.radius;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.radius.dictionary.Dictionary;
import io.viaduct.radius.message.GoldenPacketTest;
import io.viaduct.radius.message.Packets;
import io.viaduct.radius.message.Refusal;
import io.viaduct.radius.statistics.RadiusStatistics.Drop;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The tables and bytes of docs/radius.md are those of the code.
class RadiusPageTest {
  private final String page;

  RadiusPageTest() throws IOException {
    page = Files.readString(Path.of(System.getProperty("viaduct.root"), "docs/radius.md"));
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
  void theTableOfAttributesIsTheDictionary() {
    assertThat(rows("| attribute | number | type |"))
        .containsExactlyElementsOf(
            Dictionary.standard().attributes().stream()
                .map(one ->
                    "| %s | %d | %s |".formatted(one.name(), one.number(), one.type().text()))
                .toList());
  }

  @Test
  void theTableOfReasonsIsTheEnums() {
    assertThat(rows("| reason | meaning |"))
        .map(row -> row.split("\\|")[1].strip())
        .containsExactlyElementsOf(
            Stream.<Enum<?>>concat(Stream.of(Refusal.values()), Stream.of(Drop.values()))
                .map(Enum::name)
                .toList());
  }

  @Test
  void theGoldenBytesAreThoseOfTheTests() {
    assertThat(golden("interim")).isEqualTo(Packets.hex(GoldenPacketTest.INTERIM));
    assertThat(golden("response")).isEqualTo(Packets.hex(GoldenPacketTest.RESPONSE));
  }

  private byte[] golden(String name) {
    String start = "    golden-radius " + name + " ";
    return page.lines()
        .filter(line -> line.startsWith(start))
        .map(line -> Packets.hex(line.substring(start.length())))
        .findFirst()
        .orElseThrow();
  }
}
