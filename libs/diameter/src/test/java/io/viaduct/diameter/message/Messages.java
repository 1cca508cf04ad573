package io.viaduct.diameter.message;

import io.viaduct.diameter.dictionary.Dictionary;
import java.time.Instant;
import java.util.HexFormat;

/// Messages for tests.
public final class Messages {
  public static final Dictionary DICTIONARY = Dictionary.standard();
  public static final MessageReader READER = new MessageReader(DICTIONARY, CodecLimits.STANDARD);

  private Messages() {}

  /// Returns a Device-Watchdog-Request.
  public static DiameterMessage watchdog() {
    return new DiameterMessage(
        new DiameterHeader(true, false, false, false, 280, 0, 1, 2),
        new AvpBuilder(DICTIONARY)
            .add("Origin-Host", "a.ims.test")
            .add("Origin-Realm", "ims.test")
            .build());
  }

  /// Returns an Accounting-Request with AVPs of a vendor in groups.
  public static DiameterMessage accounting() {
    return new DiameterMessage(
        new DiameterHeader(true, true, false, true, 271, 3, 0x01020304, 0xA1B2C3D4),
        new AvpBuilder(DICTIONARY)
            .add("Session-Id", "a.ims.test;1;2")
            .add("Origin-Host", "a.ims.test")
            .add("Origin-Realm", "ims.test")
            .add("Destination-Realm", "ims.test")
            .add("Accounting-Record-Type", "START_RECORD")
            .add("Accounting-Record-Number", 0)
            .add("Event-Timestamp", Instant.parse("2026-11-27T00:00:00Z"))
            .group(
                "Service-Information",
                service ->
                    service.group(
                        "IMS-Information", ims -> ims.add("IMS-Charging-Identifier", "icid")))
            .build());
  }

  public static byte[] hex(String text) {
    return HexFormat.of().parseHex(text.replaceAll("\\s|#.*", ""));
  }
}
