package io.viaduct.webgui;

import java.util.List;
import java.util.Map;

/// Accounts, charges and SNAPTs as a busy day leaves them, for screenshots: long names, large and
/// missing numbers, every class and state.
public final class Scenery {
  private static final String[][] FLOWS = {
    // application, class, throughput, delay, pre, post, saved %, price, charge, discount
    {
      "skype-video",
      "HT_LD",
      "340.0",
      "140.0",
      "2550000",
      "1020000",
      "0.000662268",
      "13510279",
      "765000"
    },
    {
      "hangout-video",
      "HT_LD",
      "190.0",
      "150.0",
      "1425000",
      "570000",
      "0.00193254",
      "22030879",
      "427500"
    },
    {"ssh", "LT_LD", "8.4", "22.7", "63000", "71240", "0.0415", "2614500", "0"},
    {
      "browser",
      "HT_HD",
      "18342.7",
      "61.2",
      "137570250",
      "52276695",
      "0.0000021",
      "41207312",
      "12362193"
    },
    {"default-tcp", "LT_HD", "0.4", "", "3012", "3380", "0", "0", "0"},
  };

  private Scenery() {}

  public static void arrange(PeerServer peer) {
    arrangeWork(peer.work);
    peer.held.add(PeerServer.held("7", "bob", "UNKNOWN_ACCOUNT", "no account 'bob'"));
    peer.held.add(
        PeerServer.held(
            "6",
            "alice",
            "OVER_UNSIGNED_BOUND",
            "with it, the account's unsigned charges are 106623474 micro-denarii, above 75000000"));
    Map<String, Object> differs = PeerServer.unsigned("9", "alice");
    differs.put("refusal", "COUNTS_DIFFER");
    differs.put("deviceUpBytes", "1200");
    differs.put("deviceDownBytes", "2500000");
    peer.unsigned.add(differs);
    peer.unsigned.add(PeerServer.unsigned("8", "alice"));
    peer.counts.add(
        Map.of("snapt", "snapt-1", "what", "HELD", "reason", "UNKNOWN_ACCOUNT", "reports", 1));
    peer.counts.add(
        Map.of("snapt", "snapt-1", "what", "UNSIGNED", "reason", "RECEIPT_OWED", "reports", 2));
    peer.counts.add(
        Map.of("snapt", "snapt-2", "what", "REFUSED", "reason", "TOKEN_FORGED", "reports", 314));
    for (int i = 0; i < 7; i++) {
      String[] flow = FLOWS[i % FLOWS.length];
      Map<String, Object> charge = PeerServer.charge(i == 0 ? "c1" : "c-" + i, "alice");
      charge.put("application", flow[0]);
      charge.put("serviceClass", flow[1]);
      charge.put("throughputKbitPerSecond", Double.valueOf(flow[2]));
      charge.put("delayMs", flow[3].isEmpty() ? null : Double.valueOf(flow[3]));
      long pre = Long.parseLong(flow[4]);
      long post = Long.parseLong(flow[5]);
      long saved = Math.max(0, pre - post);
      charge.put("preBytes", flow[4]);
      charge.put("postBytes", flow[5]);
      charge.put("savedBytes", Long.toString(saved));
      charge.put("savedPercent", 100.0 * saved / pre);
      charge.put("pricePerUnit", Double.valueOf(flow[6]));
      charge.put("chargeMicrodenarii", flow[7]);
      charge.put("discountMicrodenarii", flow[8]);
      charge.put("discountBeneficiary", "SPLIT");
      charge.put("rewardMicrodenarii", flow[8]);
      charge.put(
          "netMicrodenarii", Long.toString(Long.parseLong(flow[7]) - Long.parseLong(flow[8])));
      peer.charges.add(charge);
    }
    peer.users.put(
        "maximilian.von.und.zu.hohenstein-oberursel",
        new PeerServer.User("x", "user", "Maximilian von und zu Hohenstein-Oberursel der Jüngere"));
    peer.topUps.add(PeerServer.payment(null, "invoice 2026-11-0007", null));
    peer.credits.add(PeerServer.payment("credit", "the line was down on Monday morning", null));
    peer.credits.add(PeerServer.payment("refund", "charged twice for one flow", "c1"));
    peer.capCredits.add(PeerServer.capCredit("skype-video", "5000000", "8500000"));
    peer.capCredits.add(PeerServer.capCredit("skype-video", "13500000", "-8500000"));
    peer.capCredits.add(PeerServer.capCredit(null, "12000000", "1500000"));
    peer.capCredits.add(PeerServer.capCredit(null, "13500000", "-1500000"));
    peer.moreCapCredits = "older";
    peer.usage.put(
        "usage",
        java.util.List.of(
            PeerServer.sums("2026-11-20", "1234", "2512345678"),
            PeerServer.sums("2026-11-19", "87", "812345678"),
            PeerServer.sums("2026-11-18", "3", "12345")));
    peer.usage.put("total", PeerServer.sums(null, "1324", "3324703701"));
    peer.running.add(PeerServer.running("skype-video", "HT_LD"));
    Map<String, Object> fresh = PeerServer.running("default-udp", "LT_HD");
    fresh.put("delayMs", null);
    fresh.put("perMinuteMicrodenarii", null);
    peer.running.add(fresh);
    peer.wallets.add(
        Map.of(
            "kind",
            "allowance",
            "amountMicrodenarii",
            "20000000",
            "restMicrodenarii",
            "7250000",
            "expiresAt",
            "2999-12-01T00:00:00Z"));
    peer.funds.put("reservedMicrodenarii", "1250000");
    peer.funds.put("spentLastHourMicrodenarii", "1830000");
    peer.funds.put("lastsSeconds", 24300);
    peer.funds.put(
        "caps",
        Map.of(
            "dayMicrodenarii",
            "5000000",
            "spentTodayMicrodenarii",
            "2500000",
            "spentThisMonthMicrodenarii",
            "40000000"));
    peer.snapts.add(PeerServer.snapt("snapt-1", 12));
    Map<String, Object> silent = PeerServer.snapt("snapt-2", 0);
    silent.put("state", "stale");
    silent.put("host", "2001:db8:71::12");
    peer.snapts.add(silent);
    peer.refusedReports.add(
        Map.of(
            "snapt",
            "snapt-2",
            "session",
            "6f1c1f2e-8f0e-4d61-9a57-3f5ac8b2c001",
            "epoch",
            3,
            "sequence",
            41,
            "account",
            "mallory",
            "reason",
            "UNKNOWN_ACCOUNT",
            "detail",
            "account mallory is not known: create it, then the SNAPT's next report is booked",
            "receivedAt",
            "2026-11-20T10:01:01Z"));
  }

  private static void arrangeWork(OperatorPeer work) {
    work.rows.put("alice", Map.of("credit", "low", "reservedMicrodenarii", "345678"));
    work.rows.put("bob", Map.of("blocked", true));
    work.block =
        Map.of("reason", "stolen card", "decidedBy", "olga", "decidedAt", "2026-11-20T10:00:00Z");
    work.reservations.add(OperatorPeer.reservation("alice", true));
    work.reservations.add(OperatorPeer.reservation("bob", false));
    work.notices.add(OperatorPeer.notice("low", "given-up"));
    work.notices.add(OperatorPeer.notice("sufficient", "delivered"));
    work.wallets.add(OperatorPeer.wallet("grant", "welcome"));
    work.wallets.add(OperatorPeer.wallet("allowance", "allowance of November"));
    work.registrations.add(
        Map.of(
            "user", "alice",
            "contact", "sip:alice@192.0.2.7:5060;transport=udp",
            "source", "udp 192.0.2.7:5060",
            "registeredAt", "2026-11-20T09:00:00Z",
            "expiresAt", "2026-11-20T11:00:00Z",
            "scscf", "sip:scscf.ims.test;lr",
            "icid", "Ay+6=02",
            "ccf", List.of("aaa://cdf.ims.test"),
            "ecf", List.of("aaa://ocs.ims.test")));
    work.sessions.add(
        Map.of(
            "account", "alice",
            "snapt", "snapt-1",
            "session", "6f1c1f2e-8f0e-4d61-9a57-3f5ac8b2c001",
            "heardAt", "2026-11-20T10:00:00Z"));
    work.begin("5", "summer");
    work.tariffs.add(OperatorPeer.tariff(3, "scheduled"));
    work.differences.add(
        Map.of(
            "place",
            "classes.LT_LD.throughput-marginal",
            "knot",
            2,
            "before",
            "[1.0,0.5]",
            "after",
            "[1.25,0.45]"));
    work.differences.add(Map.of("place", "fees.PER_MINUTE", "before", "0.01", "after", "0.02"));
  }
}
