package io.viaduct.cnapt.control;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SnaptTest {
  @Test
  void whoeverCanBeAskedIsTakenFromAList() {
    assertThat(Snapt.listed("", "2001:db8::7", 65_535))
        .contains(new Snapt("", "2001:db8::7", 65_535));
    assertThat(Snapt.listed("x".repeat(64), "h".repeat(253), 1)).isPresent();
  }

  @ParameterizedTest
  @CsvSource({
    "id, '', 443",
    "id, two words, 443",
    "id, 'line\nbreak', 443",
    "'\u001b[2J', host, 443",
    "id, host, 0",
    "id, host, -1",
    "id, host, 65536"
  })
  void whoeverCannotBeAskedIsNot(String id, String host, int port) {
    assertThat(Snapt.listed(id, host, port)).isEmpty();
    assertThat(Snapt.listed("x".repeat(65), "host", 443)).isEmpty();
    assertThat(Snapt.listed("id", "h".repeat(254), 443)).isEmpty();
  }
}
