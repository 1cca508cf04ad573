package io.viaduct.sip.useragent;

import java.nio.charset.StandardCharsets;
import java.util.List;

/// Bodies of a NOTIFY of `snapt-session`. Rule: a grant or an IllegalArgumentException.
public final class SessionGrantFuzz {
  private SessionGrantFuzz() {}

  public static void fuzzerTestOneInput(byte[] input) {
    try {
      SessionGrant.parse(new String(input, StandardCharsets.UTF_8)).toString();
    } catch (IllegalArgumentException _) {
      return; // the subscriber ignores the NOTIFY
    }
  }

  public static List<byte[]> seeds() {
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
