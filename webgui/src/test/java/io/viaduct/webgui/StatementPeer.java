package io.viaduct.webgui;

/// Billing's statement of a month, as its description says.
public final class StatementPeer {
  public static final String ROOTS =
      "{\"roots\":[{\"day\":\"2026-11-26\",\"root\":\"4c1f\"}],\"next\":null}";
  public static final String RECEIPTS = "{\"type\":\"statement\",\"account\":\"alice\"}\n";

  private StatementPeer() {}

  public static String answer(String path) {
    String month = path.replaceAll(".*/statements/([^/]+).*", "$1");
    return path.endsWith(".csv")
        ? "line,kind,balanceMicrodenarii\r\nopening,,1000000\r\n"
        : """
        {"account":"alice","month":"%s","zone":"UTC","from":"2026-11-01T00:00:00Z","to":"2026-12-01T00:00:00Z","whole":true,
         "openingMicrodenarii":"1000000",
         "movements":[{"kind":"TOP_UP","count":2,"amountMicrodenarii":"25000000"},
                      {"kind":"VOUCHER_REDEMPTION","count":1,"amountMicrodenarii":"5000000"},
                      {"kind":"EXPIRY","count":1,"amountMicrodenarii":"-250000"}],
         "charges":[%s,%s],
         "total":%s,
         "closingMicrodenarii":"27750000"}
        """
            .formatted(
                month,
                row("2026-11-20", "HT_HD", 7, 2_000_000),
                row("2026-11-21", "HT_LD", 5, 1_000_000),
                row("", "", 12, 3_000_000));
  }

  private static String row(String day, String serviceClass, int count, long net) {
    return """
    {"day":"%s","serviceClass":"%s","count":%d,"chargeMicrodenarii":"%d","discountMicrodenarii":"300000",
     "accessFeeMicrodenarii":"150000","surchargeMicrodenarii":"50000","promiseRefundMicrodenarii":"100000",
     "netMicrodenarii":"%d"}
    """
        .formatted(day, serviceClass, count, net + 200_000, net);
  }
}
