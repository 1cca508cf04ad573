package io.viaduct.radius.dictionary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DictionaryTest {
  @Test
  void attributesAndValuesHaveTheNumbersOfTheirStandards() {
    Dictionary dictionary = Dictionary.standard();
    assertThat(dictionary.attribute("Acct-Input-Gigawords").number()).isEqualTo(52);
    assertThat(dictionary.attribute(44).name()).isEqualTo("Acct-Session-Id");
    assertThat(dictionary.attribute(240).type()).isEqualTo(AttributeType.STRING);
    assertThat(dictionary.value("Acct-Status-Type", "Interim-Update")).isEqualTo(3);
    assertThat(dictionary.valueName("Acct-Terminate-Cause", 11)).hasValue("NAS-Reboot");
    assertThat(dictionary.valueName("Acct-Terminate-Cause", 99)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "attribute A 1",
        "attribute A 256 text",
        "attribute A 1 words",
        "attribute A 1 text\nattribute A 2 text",
        "attribute A 1 text\nattribute B 1 text",
        "attribute A 1 text\nvalue A One 1",
        "value B One 1",
        "vendor A 1 text"
      })
  void aWrongLineIsRefusedWithItsNumber(String file) {
    assertThatThrownBy(() -> Dictionary.parse("# comment\n" + file))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("line " + (file.lines().count() + 1));
  }
}
