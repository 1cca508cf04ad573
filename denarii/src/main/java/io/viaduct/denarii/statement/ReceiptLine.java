package io.viaduct.denarii.statement;

import com.google.protobuf.ByteString;
import io.viaduct.usage.statement.StatementCharge;
import io.viaduct.usage.statement.StatementReceipt;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/// A line with a receipt.
///
/// @param hash hash that the line states
/// @param signature billing's signature; empty without one
/// @param charges the bill; empty without one
/// @param isBillKept false if billing no longer keeps the charges
/// @param json the line
record ReceiptLine(
    StatementReceipt receipt,
    ByteString hash,
    ByteString signature,
    List<StatementCharge> charges,
    boolean isBillKept,
    JsonNode json) {
  static ReceiptLine of(JsonNode json) {
    Fields line = new Fields(json);
    return new ReceiptLine(
        new StatementReceipt(
            line.number("number"),
            line.hex("previous"),
            line.micros("postedAt"),
            line.text("kind"),
            line.text("identity"),
            line.text("note"),
            line.number("amountMicrodenarii"),
            line.number("balanceMicrodenarii"),
            line.hex("reportDigest"),
            line.hex("chargesDigest")),
        line.hex("hash"),
        line.optionalBase64("signature"),
        charges(json.path("charges")),
        json.path("chargesKept").asBoolean(true),
        json);
  }

  private static List<StatementCharge> charges(JsonNode array) {
    List<StatementCharge> charges = new ArrayList<>();
    for (JsonNode each : array) {
      Fields charge = new Fields(each);
      charges.add(
          new StatementCharge(
              charge.number("charge"),
              charge.number("flow"),
              charge.text("application"),
              charge.text("serviceClass"),
              charge.number("bytes"),
              charge.number("chargeMicrodenarii"),
              charge.number("discountMicrodenarii"),
              charge.number("accessFeeMicrodenarii"),
              charge.number("surchargeMicrodenarii"),
              charge.number("promiseRefundMicrodenarii")));
    }
    return charges;
  }

  /// Returns what the charges cost together.
  long net() {
    return charges.stream().mapToLong(StatementCharge::net).sum();
  }
}
