package io.viaduct.billing.radius;

import io.viaduct.billing.accounting.PostedRecord;
import io.viaduct.radius.dictionary.Dictionary;
import io.viaduct.radius.message.AttributesBuilder;
import io.viaduct.radius.message.RadiusPacket;
import java.time.Duration;

/// Encodes records of posted reports as Accounting-Requests. The counts are those of the accounting
/// session since its begin, as RFC 2869 section 2.1 asks for.
///
/// @param nasIdentifier NAS-Identifier of this billing
/// @param domain home domain of the users, for User-Name
record RadiusRecords(String nasIdentifier, String domain) {
  private static final int MESSAGE_AUTHENTICATOR_OCTETS = 16;
  private static final int TEXT_MAX = 253;

  RadiusPacket encode(PostedRecord record) {
    AttributesBuilder attributes =
        new AttributesBuilder(Dictionary.standard())
            .add("Message-Authenticator", new byte[MESSAGE_AUTHENTICATOR_OCTETS])
            .add("Acct-Status-Type", status(record.kind()))
            .add("Acct-Session-Id", end(record.session()))
            .add("Acct-Multi-Session-Id", end(record.tunnelSession()))
            .add("User-Name", end(record.account() + "@" + domain))
            .add("NAS-Identifier", nasIdentifier)
            .add("NAS-Port-Type", "Virtual")
            .add("Service-Type", "Framed")
            .add("Called-Station-Id", end(record.snapt()))
            .add("Event-Timestamp", record.at());
    if (record.kind() != PostedRecord.Kind.START) {
      attributes
          .add("Acct-Session-Time", seconds(record))
          .octets("Input", record.octetsUp())
          .octets("Output", record.octetsDown());
    }
    if (record.kind() == PostedRecord.Kind.STOP) {
      attributes.add("Acct-Terminate-Cause", "User-Request");
    } else if (record.kind() == PostedRecord.Kind.LAPSE) {
      attributes.add("Acct-Terminate-Cause", "Lost-Service");
    }
    return new RadiusPacket(RadiusPacket.ACCOUNTING_REQUEST, 0, attributes.build());
  }

  private static String status(PostedRecord.Kind kind) {
    return switch (kind) {
      case START -> "Start";
      case INTERIM -> "Interim-Update";
      case STOP, LAPSE -> "Stop";
    };
  }

  private static long seconds(PostedRecord record) {
    return Math.max(0, Duration.between(record.beganAt(), record.at()).toSeconds());
  }

  // A session that began under Diameter keeps its name, whose end tells it from others.
  private static String end(String text) {
    return text.substring(Math.max(0, text.length() - TEXT_MAX));
  }
}
