package io.viaduct.setup.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.viaduct.service.configuration.ConfigurationException;
import org.junit.jupiter.api.Test;

class YamlTextTest {
  private static String append(String text, String key, String item) {
    return YamlText.append("bridge.yml", text, key, item);
  }

  @Test
  void aBlockListGetsAnItemBehindItsLastOneAndCommentsStay() {
    String text =
        """
        # é head
        domain: a.example # ours
        snapts:
          # the first
          - {id: one, owner: o} # in the cellar
          - id: two
            owner: p
        # what follows
        token: {audience: v}
        """;
    assertThat(append(text, "snapts", "{id: three}"))
        .isEqualTo(text.replace("    owner: p\n", "    owner: p\n  - {id: three}\n"));
  }

  @Test
  void aListThatIsNotIndentedStaysSo() {
    assertThat(append("snapts:\n- {id: one}\nx: 1\n", "snapts", "{id: two}"))
        .isEqualTo("snapts:\n- {id: one}\n- {id: two}\nx: 1\n");
  }

  @Test
  void aFileWithoutAFinalLineBreakIsExtendedAsWell() {
    assertThat(append("snapts:\n  - {id: one}", "snapts", "{id: two}"))
        .isEqualTo("snapts:\n  - {id: one}\n  - {id: two}\n");
  }

  @Test
  void aListOnOneLineStaysOnOneLine() {
    assertThat(append("snapts: [{id: one}] # all\nx: 1\n", "snapts", "{id: two}"))
        .isEqualTo("snapts: [{id: one}, {id: two}] # all\nx: 1\n");
  }

  @Test
  void anEmptyListBecomesABlock() {
    assertThat(append("snapts: []\nx: 1\n", "snapts", "{id: one}"))
        .isEqualTo("snapts:\n  - {id: one}\nx: 1\n");
  }

  @Test
  void aMissingKeyIsAddedAtTheEnd() {
    assertThat(append("x: 1", "snapts", "{id: one}")).isEqualTo("x: 1\nsnapts:\n  - {id: one}\n");
    assertThat(append("x: 1\n", "owners", "\"one\": \"acme\""))
        .isEqualTo("x: 1\nowners:\n  \"one\": \"acme\"\n");
  }

  @Test
  void aMappingGetsAnEntry() {
    assertThat(append("owners:\n  one: acme\nx: 1\n", "owners", "two: beacon"))
        .isEqualTo("owners:\n  one: acme\n  two: beacon\nx: 1\n");
    assertThat(append("owners: {one: acme}\n", "owners", "two: beacon"))
        .isEqualTo("owners: {one: acme, two: beacon}\n");
  }

  @Test
  void whatCannotBeExtendedSafelyIsLeftToThePersonWithTheEntry() {
    for (String text : new String[] {"snapts: 7\n", "snapts: {a: 1}\n", "- a list\n", "a: [\n"}) {
      assertThatThrownBy(() -> append(text, "snapts", "{id: one}"))
          .as(text)
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining("bridge.yml")
          .hasMessageContaining("{id: one}")
          .hasMessageContaining("by hand");
    }
  }

  @Test
  void idsAreThoseOfItemsOrKeys() {
    assertThat(YamlText.ids("s: [{id: a}, {id: b}]\n", "s")).containsExactly("a", "b");
    assertThat(YamlText.ids("s: {a: 1}\n", "s")).containsExactly("a");
    assertThat(YamlText.ids("", "s")).isEmpty();
  }
}
