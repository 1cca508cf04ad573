package io.viaduct.sip.useragent;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.viaduct.fuzzing.Corpus;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Bodies of a NOTIFY of `snapt-session`. Rule: a grant or an IllegalArgumentException.
final class SessionGrantFuzz {
  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    try {
      SessionGrant.parse(new String(input, StandardCharsets.UTF_8)).toString();
    } catch (IllegalArgumentException _) {
      return; // the subscriber ignores the NOTIFY
    }
  }

  static List<byte[]> seeds() {
    return List.of(
            """
            {"sid":"s","relays":[{"id":"a","host":"h","controlPort":1,"dataPort":2,"prio":0}],
             "token":"t","kid":"k","exp":1790000000000,"reportSec":60,"icid":"i","more":[1.5e3,null]}\
            """,
            "[]",
            "{\"relays\":{}}")
        .stream()
        .map(text -> text.getBytes(StandardCharsets.UTF_8))
        .toList();
  }
}
