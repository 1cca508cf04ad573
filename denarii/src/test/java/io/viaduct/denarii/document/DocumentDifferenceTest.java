package io.viaduct.denarii.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.viaduct.denarii.document.DocumentDifference.Change;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

class DocumentDifferenceTest {
  private static JsonNode yaml(String text) {
    return new YAMLMapper().readTree(text);
  }

  @Test
  void namesEachValueThatDiffersByItsPath() {
    JsonNode before = yaml("{a: 1, b: {c: x, d: [1, 2]}, gone: true}");
    JsonNode after = yaml("{a: 1.0, b: {c: y, d: [1, 3, 4]}, new: {}}");
    assertThat(DocumentDifference.of(before, after))
        .containsExactly(
            new Change("b.c", "x", "y"),
            new Change("b.d[1]", "2", "3"),
            new Change("b.d[2]", null, "4"),
            new Change("gone", "true", null),
            new Change("new", null, "{}"));
    assertThat(DocumentDifference.of(before, before)).isEmpty();
  }

  @Test
  void aFileThatIsNoDocumentIsRefusedWithItsPlace(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("draft.yml"), "a: 1\nb: [1, 2\n");
    assertThatThrownBy(() -> TariffFile.read(file))
        .hasMessageStartingWith(
            file + " is neither YAML nor JSON: line 2, column 9: while parsing a flow sequence");
    Files.writeString(file, "just words");
    assertThatThrownBy(() -> TariffFile.read(file))
        .hasMessage(file + " must be a tariff document: YAML or JSON");
    Files.writeString(file, "{\"a\": 1}");
    assertThat(TariffFile.text(TariffFile.read(file))).isEqualTo("a: 1\n");
  }
}
