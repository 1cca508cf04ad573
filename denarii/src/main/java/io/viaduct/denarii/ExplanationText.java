package io.viaduct.denarii;

import io.viaduct.denarii.text.Amount;
import io.viaduct.denarii.text.Quantity;
import io.viaduct.denarii.text.Table;
import java.io.PrintWriter;
import java.util.List;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/// Writes an explanation of billing for people, from its facts.
final class ExplanationText {
  /// The lines of a bill: what people call them, and their members in the API.
  static final List<List<String>> LINES =
      List.of(
          List.of("charge", "chargeMicrodenarii"),
          List.of("discount", "discountMicrodenarii"),
          List.of("access fee", "accessFeeMicrodenarii"),
          List.of("surcharge", "surchargeMicrodenarii"),
          List.of("refund", "promiseRefundMicrodenarii"),
          List.of("to pay", "netMicrodenarii"));

  private final PrintWriter out;

  ExplanationText(PrintWriter out) {
    this.out = out;
  }

  /// Writes what was measured.
  void measured(JsonNode explanation) {
    JsonNode inputs = explanation.path("inputs");
    long before = Long.parseLong(inputs.path("preBytes").asString());
    long after = Long.parseLong(inputs.path("postBytes").asString());
    out.printf(
        "%s (%s), priced at what %s%n",
        explanation.path("application").asString(),
        explanation.path("serviceClass").asString().replace('_', '&'),
        explanation.path("point").asString().equals("OFFERED")
            ? "its path offered"
            : "was measured");
    out.printf(
        "%s, %s on the wire, in %s s of %s s; delay %s ms (%s)%s; loss %s %%%n",
        Quantity.bytes(before),
        Quantity.bytes(after),
        Amount.number(inputs.path("durationMs").asLong() / 1000.0),
        Amount.number(inputs.path("intervalMs").asLong() / 1000.0),
        Amount.number(inputs.path("delayMs").asDouble()),
        inputs.path("delaySource").asString().toLowerCase(java.util.Locale.ROOT).replace('_', ' '),
        inputs.path("delayErrorMs").isNumber()
            ? " ± " + Amount.number(inputs.path("delayErrorMs").asDouble()) + " ms"
            : "",
        Amount.number(100 * inputs.path("loss").asDouble()));
    if (inputs.path("jitterMs").isNumber()) {
      out.printf(
          "jitter %s ms, which has no price%n", Amount.number(inputs.path("jitterMs").asDouble()));
    }
    String link = explanation.path("link").asString("");
    if (!link.isEmpty()) {
      out.printf("mostly over the link %s%n", link);
    }
    String call = explanation.path("carriedByCall").asString("");
    if (!call.isEmpty()) {
      out.printf("carried by call %s: charged per second, so its bytes cost nothing%n", call);
    }
    if (explanation.path("together").size() > 1) {
      out.printf(
          "priced together with %d other flows of the application%n",
          explanation.path("together").size() - 1);
    }
  }

  /// Writes the bytes that the discount counts, and the party that gets it.
  void discount(JsonNode explanation) {
    String base = explanation.path("discountBase").asString("");
    String beneficiary = explanation.path("discountBeneficiary").asString("");
    out.printf(
        "The discount counts %s and is for %s%n",
        switch (base) {
          case "SAVED" -> "bytes saved";
          case "SERVED" -> "all bytes of the flow";
          default -> base;
        },
        switch (beneficiary) {
          case "USER" -> "the user";
          case "SHARER" -> "the owner of the SNAPT";
          case "SPLIT" -> "the user and the owner of the SNAPT, half each";
          default -> beneficiary;
        });
  }

  /// Writes each step of the computation.
  void steps(JsonNode explanation) {
    Table table = new Table(">STEP", "NAME", ">VALUE", "FORMULA");
    for (JsonNode step : explanation.path("steps")) {
      table.row(
          Integer.toString(step.path("number").asInt()),
          step.path("name").asString(),
          value(step.path("value").asDouble(), step.path("unit").asString()),
          step.path("formula").asString());
    }
    table.print(out);
  }

  // The unit scales with the value: people read 8.41 µden/vu, and not its zeros.
  private static String value(double value, String unit) {
    return switch (unit) {
      case "µden" -> Math.round(value) + " µden";
      case "" -> Amount.number(value);
      case "kbit/s" -> Quantity.rate(value);
      case "ms" -> Amount.number(value) + " ms";
      case "bytes" -> Quantity.bytes(Math.round(value));
      case "den/s per kbit/s" -> Quantity.prefixed(value, "den/kbit");
      case "den/s per ms" -> Quantity.prefixed(value, "den/s/ms");
      default -> Quantity.prefixed(value, unit);
    };
  }

  /// Writes the lines of a bill that are not zero, and what is to pay.
  void bill(JsonNode bill) {
    Table table = new Table("LINE", ">AMOUNT");
    for (List<String> line : LINES) {
      String amount = bill.path(line.get(1)).asString();
      if (!amount.equals("0") || line.getFirst().equals("to pay")) {
        table.row(line.getFirst(), Amount.exact(amount));
      }
    }
    table.print(out);
  }

  /// Writes the wallets that paid the bill that counts, and the rule that let the traffic pass.
  void payment(JsonNode payment) {
    String wallets =
        payment
            .path("paidBy")
            .valueStream()
            .map(part ->
                Amount.exact(part.path("amountMicrodenarii").asString())
                    + " by "
                    + part.path("wallet").asString())
            .collect(Collectors.joining(", "));
    out.printf(
        "Paid: %s%nLet pass by: %s%n",
        wallets.isEmpty() ? "nothing" : wallets,
        switch (payment.path("passedBy").asString("")) {
          case "quota" -> "a quota of its credit";
          case "grace" -> "a grace, because the credit had ended";
          case "beyond-quota" ->
              "its class, without a quota: billing was away, or had not answered yet";
          case "none" -> "no rule: its session has no credit control";
          default -> payment.path("passedBy").asString("");
        });
  }
}
