package io.viaduct.service.logging;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PeerTextTest {
  @Test
  void controlCharactersBecomeQuestionMarks() {
    assertThat(PeerText.printable("a\r\nb\u001b[31m\u0085ü")).isEqualTo("a??b?[31m?ü");
  }

  @Test
  void aLongTextIsCut() {
    assertThat(PeerText.printable("x".repeat(201))).isEqualTo("x".repeat(200));
    assertThat(PeerText.printable("abcd", 3)).isEqualTo("abc");
    assertThat(PeerText.printable("ab", 3)).isEqualTo("ab");
  }

  @Test
  void asciiHasNoOtherCharactersAndShowsThatItWasCut() {
    assertThat(PeerText.ascii("a ü\n~", 80)).isEqualTo("a ??~");
    assertThat(PeerText.ascii("abcdefgh", 8)).isEqualTo("abcdefgh");
    assertThat(PeerText.ascii("abcdefghi", 8)).isEqualTo("abcde...");
  }
}
