package io.viaduct.denarii.document;

import io.viaduct.denarii.text.Amount;
import io.viaduct.denarii.text.Quantity;
import java.time.ZoneId;
import tools.jackson.databind.JsonNode;

/// A page of vouchers for a printer: two columns of cards to cut out. It needs nothing but itself.
public final class VoucherSheet {
  private static final String HEAD =
      """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <title>Vouchers of batch %s</title>
      <style>
      @page { size: A4; margin: 12mm }
      body { font-family: sans-serif; color: #000; margin: 0 }
      main { display: grid; grid-template-columns: 1fr 1fr }
      section { border: 1px dashed #777; padding: 6mm; break-inside: avoid }
      h2 { font-size: 20pt; margin: 0 0 3mm }
      code { font-size: 14pt; letter-spacing: .04em; white-space: nowrap }
      p { margin: 2mm 0 0; font-size: 9pt }
      </style>
      </head>
      <body>
      <main>
      """;

  private static final String CARD =
      """
      <section>
      <h2>%s</h2>
      <code>%s</code>
      <p>Voucher %s. Redeem it on the page "Top up" until %s.</p>
      </section>
      """;

  private VoucherSheet() {}

  /// Returns the page.
  ///
  /// @param made billing's answer to the making of vouchers
  public static String html(JsonNode made, ZoneId zone) {
    JsonNode batch = made.path("batch");
    StringBuilder page = new StringBuilder(HEAD.formatted(escaped(batch.path("id"))));
    for (JsonNode voucher : made.path("vouchers")) {
      page.append(
          CARD.formatted(
              Amount.exact(batch.path("amountMicrodenarii").asString()),
              escaped(voucher.path("code")),
              escaped(voucher.path("serial")),
              Quantity.time(batch.path("expiresAt").asString(), zone)));
    }
    return page.append("</main>\n</body>\n</html>\n").toString();
  }

  private static String escaped(JsonNode text) {
    return text.asString().replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
