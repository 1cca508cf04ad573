package io.viaduct.webgui.billing;

import static io.viaduct.webgui.peer.JsonPeer.authorized;

import io.viaduct.webgui.peer.BearerToken;
import io.viaduct.webgui.peer.JsonPeer;
import io.viaduct.webgui.peer.JsonPeer.Tagged;
import java.io.InputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.YearMonth;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import tools.jackson.databind.JsonNode;

/// Billing's REST interface, as far as the pages use it. Each call carries the visitor's own token,
/// so billing decides what the visitor may see; the pages' own rules come on top.
public final class Billing {
  private static final String CSV = "text/csv";

  /// Billing answers a log-in within 20 s although somebody else guesses at the same name.
  private static final Duration LOGIN_PATIENCE = Duration.ofSeconds(25);

  private final JsonPeer peer;

  public Billing(JsonPeer peer) {
    this.peer = peer;
  }

  /// Logs a visitor in. Billing may let the visitor wait for a turn, up to [#LOGIN_PATIENCE].
  ///
  /// @param visitor numeric address of the browser
  /// @param knownBrowser what billing gave this browser at its last log-in, or empty
  /// @throws io.viaduct.webgui.peer.SessionEndedException if user or password are wrong (401)
  public OpenedSession openSession(
      String user, String password, String visitor, String knownBrowser) {
    Map<String, String> login = new HashMap<>(Map.of("user", user, "password", password));
    if (!knownBrowser.isEmpty()) {
      login.put("knownBrowser", knownBrowser);
    }
    return peer.post(
        "/sessions",
        headers -> headers.set("X-Forwarded-For", visitor),
        login,
        OpenedSession.class,
        LOGIN_PATIENCE);
  }

  /// Logs a visitor in whose password was right.
  ///
  /// @param challenge as [io.viaduct.webgui.peer.CodeRequiredException] has it
  /// @param code of the authenticator app, or a recovery code
  /// @param visitor numeric address of the browser
  /// @throws io.viaduct.webgui.peer.SessionEndedException if the challenge is over
  public OpenedSession sendCode(String challenge, String code, String visitor) {
    return peer.post(
        "/sessions/codes",
        headers -> headers.set("X-Forwarded-For", visitor),
        Map.of("challenge", challenge, "code", code),
        OpenedSession.class);
  }

  /// Logs a visitor in whom the provider has identified.
  ///
  /// @param visitor numeric address of the browser
  /// @throws io.viaduct.webgui.peer.PeerRefusedException with 403 if no account is linked
  public OpenedSession openSession(String idToken, String visitor) {
    return peer.post(
        "/sessions/identities",
        headers -> headers.set("X-Forwarded-For", visitor),
        Map.of("idToken", idToken),
        OpenedSession.class,
        LOGIN_PATIENCE);
  }

  public void closeSession(BearerToken token) {
    peer.delete("/sessions/current", token);
  }

  /// Returns an account with the tag of its version.
  public Tagged<Account> tagged(BearerToken token, String account) {
    return peer.getTagged(at(account), token, Account.class);
  }

  public Account account(BearerToken token, String account) {
    return peer.get(at(account), token, Account.class);
  }

  /// Makes a user, with one secret for pages and devices.
  public void openAccount(
      BearerToken token, String id, String displayName, String password, String role) {
    peer.post(
        "/accounts",
        authorized(token),
        Map.of("id", id, "displayName", displayName, "password", password, "role", role),
        JsonNode.class);
  }

  /// @param tag of the account as it was shown; likewise below
  /// @param state `active` or `suspended`
  public void setState(BearerToken token, String account, String tag, String state) {
    change(token, account, tag, Map.of("state", state));
  }

  private void change(BearerToken token, String account, String tag, Map<String, String> change) {
    var unused = peer.replace(HttpMethod.PATCH, at(account), token, tag, change, JsonNode.class);
  }

  /// Closes an account, for ever.
  public void closeAccount(BearerToken token, String account, String tag) {
    peer.delete(at(account), token, tag);
  }

  /// Erases a closed account, for ever.
  ///
  /// @return the pseudonym that the account has now
  public String eraseAccount(BearerToken token, String account) {
    return peer.post(at(account) + "/erasure", authorized(token), Map.of(), JsonNode.class)
        .path("pseudonym")
        .asString();
  }

  /// Sets the password of another, as an operator.
  public void setPassword(BearerToken token, String account, String tag, String password) {
    change(token, account, tag, Map.of("password", password));
  }

  /// Changes the visitor's own password; other log-ins of the account end.
  public void changePassword(
      BearerToken token, String account, String oldPassword, String newPassword) {
    peer.send(
        HttpMethod.PUT,
        at(account) + "/password",
        token,
        Map.of("oldPassword", oldPassword, "newPassword", newPassword));
  }

  public DeviceList devices(BearerToken token, String account) {
    return peer.get(at(account) + "/devices", token, DeviceList.class);
  }

  /// Returns the devices of an account with the tag of their list.
  public Tagged<DeviceList> taggedDevices(BearerToken token, String account) {
    return peer.getTagged(at(account) + "/devices", token, DeviceList.class);
  }

  /// Returns the SIP addresses of an account.
  public SipAddresses sipAddresses(BearerToken token, String account) {
    return peer.get(at(account) + "/sip-addresses", token, SipAddresses.class);
  }

  /// @param tag of the list of devices as it was shown
  public void removeDevice(BearerToken token, String account, String tag, String device) {
    peer.delete(at(account) + "/devices/" + encode(device), token, tag);
  }

  /// @param tag of the list of devices as it was shown
  /// @param name empty takes the name away
  public void nameDevice(
      BearerToken token, String account, String tag, String device, String name) {
    peer.send(
        HttpMethod.PATCH,
        at(account) + "/devices/" + encode(device),
        token,
        tag,
        Map.of("name", name));
  }

  /// Makes a link for a user who has lost the password, as an operator.
  public PasswordReset makeReset(BearerToken token, String account) {
    return peer.post(
        at(account) + "/password-resets", authorized(token), Map.of(), PasswordReset.class);
  }

  /// Sets a new password by a link.
  ///
  /// @param visitor numeric address of the browser
  public void useReset(String reset, String newPassword, String visitor) {
    var unused =
        peer.post(
            "/password-resets",
            headers -> headers.set("X-Forwarded-For", visitor),
            Map.of("token", reset, "newPassword", newPassword),
            JsonNode.class);
  }

  public ChargePage charges(BearerToken token, String account, ChargeQuery query) {
    return peer.get(
        at(account)
            + "/charges?limit="
            + query.limit()
            + with("cursor", query.cursor())
            + filters(query.filter()),
        token,
        ChargePage.class);
  }

  /// All charges that fit the filter, as CSV (RFC 4180); the caller closes it.
  public InputStream chargesFile(BearerToken token, String account, ChargeFilter filter) {
    return peer.stream(at(account) + "/charges.csv" + query(filters(filter)), CSV, token);
  }

  private static String filters(ChargeFilter filter) {
    return time(filter.from(), filter.to())
        + with("class", filter.serviceClass())
        + with("state", filter.state())
        + with("application", filter.application())
        + with("snapt", filter.snapt())
        + with("device", filter.device())
        + with("link", filter.link())
        + with("passedBy", filter.passedBy());
  }

  private static String time(@Nullable String from, @Nullable String to) {
    return with("from", from) + with("to", to);
  }

  public Usage usage(BearerToken token, String account, UsageQuery query) {
    return peer.get(at(account) + "/usage" + query(sums(query)), token, Usage.class);
  }

  /// The same sums as CSV (RFC 4180); the caller closes it.
  public InputStream usageFile(BearerToken token, String account, UsageQuery query) {
    return peer.stream(at(account) + "/usage.csv" + query(sums(query)), CSV, token);
  }

  private static String sums(UsageQuery query) {
    ChargeFilter filter = query.filter();
    return time(filter.from(), filter.to())
        + with("class", filter.serviceClass())
        + with("application", filter.application())
        + with("device", filter.device())
        + with("link", filter.link())
        + with("zone", UsageQuery.zoneName(query.zone()))
        + with("by", query.by());
  }

  /// Returns the credit of the account.
  public AccountCredit credit(BearerToken token, String account) {
    return peer.get(at(account) + "/credit", token, AccountCredit.class);
  }

  public WalletList wallets(BearerToken token, String account) {
    return peer.get(at(account) + "/wallets", token, WalletList.class);
  }

  /// Returns the running traffic of the account's devices.
  public RunningList running(BearerToken token, String account) {
    return peer.get(at(account) + "/running", token, RunningList.class);
  }

  /// @param zone whose month is meant
  public Statement statement(BearerToken token, String account, YearMonth month, ZoneId zone) {
    return peer.get(statementAt(account, month, "", zone), token, Statement.class);
  }

  /// The same statement as CSV (RFC 4180); the caller closes it.
  public InputStream statementFile(
      BearerToken token, String account, YearMonth month, ZoneId zone) {
    return peer.stream(statementAt(account, month, "/lines.csv", zone), CSV, token);
  }

  /// The receipts of a month (UTC), signed, as JSON Lines; the caller closes them.
  public InputStream signedStatement(BearerToken token, String account, YearMonth month) {
    return peer.stream(
        at(account) + "/receipts?from=" + month.atDay(1) + "&to=" + month.atEndOfMonth(),
        "application/jsonl",
        token);
  }

  /// The latest published roots of statements as JSON; the caller closes them.
  public InputStream publishedRoots() {
    return peer.openStream("/statement-roots?limit=400", MediaType.APPLICATION_JSON_VALUE);
  }

  private static String statementAt(String account, YearMonth month, String file, ZoneId zone) {
    return at(account)
        + "/statements/"
        + month
        + file
        + query(with("zone", UsageQuery.zoneName(zone)));
  }

  public Charge charge(BearerToken token, String charge) {
    return peer.get("/charges/" + encode(charge), token, Charge.class);
  }

  /// Returns the explanation of a charge.
  public ExplainedCharge explain(BearerToken token, String charge) {
    return peer.get("/charges/" + encode(charge) + "/explain", token, ExplainedCharge.class);
  }

  /// Returns the wallets that paid a charge.
  public ChargePayment payment(BearerToken token, String charge) {
    return peer.get("/charges/" + encode(charge) + "/payment", token, ChargePayment.class);
  }

  /// Books a top-up once per key, however often it is sent.
  public void topUp(BearerToken token, String account, UUID idempotencyKey, TopUp topUp) {
    peer.post(at(account) + "/top-ups", once(token, idempotencyKey), topUp, JsonNode.class);
  }

  public PaymentPage topUps(BearerToken token, String account, int limit, @Nullable String cursor) {
    return peer.get(
        at(account) + "/top-ups?limit=" + limit + with("cursor", cursor), token, PaymentPage.class);
  }

  /// Gives a credit or a refund once per key, however often it is sent.
  public void credit(BearerToken token, String account, UUID idempotencyKey, Credit credit) {
    peer.post(at(account) + "/credits", once(token, idempotencyKey), credit, JsonNode.class);
  }

  public CapCredits capCredits(
      BearerToken token, String account, int limit, @Nullable String cursor) {
    return peer.get(
        at(account) + "/cap-credits?limit=" + limit + with("cursor", cursor),
        token,
        CapCredits.class);
  }

  public PaymentPage credits(
      BearerToken token, String account, int limit, @Nullable String cursor) {
    return peer.get(
        at(account) + "/credits?limit=" + limit + with("cursor", cursor), token, PaymentPage.class);
  }

  public RefusedReports refusedReports(
      BearerToken token, ReportQuery query, int limit, @Nullable String cursor) {
    return peer.get(
        "/reports/refused?limit=" + limit + with("cursor", cursor) + with(query),
        token,
        RefusedReports.class);
  }

  /// Reports that wait for the operator.
  public HeldReports heldReports(
      BearerToken token, ReportQuery query, int limit, @Nullable String cursor) {
    return peer.get(
        "/reports/held?limit=" + limit + with("cursor", cursor) + with(query),
        token,
        HeldReports.class);
  }

  public HeldReport heldReport(BearerToken token, String id) {
    return peer.get("/reports/held/" + encode(id), token, HeldReport.class);
  }

  public Release release(BearerToken token, String id, Decision decision) {
    return decide(token, "/reports/held/" + encode(id) + "/release", decision, Release.class);
  }

  public void discard(BearerToken token, String id, Decision decision) {
    decide(token, "/reports/held/" + encode(id) + "/discard", decision, JsonNode.class);
  }

  /// Posted intervals without receipt about which an operator may decide; with a device's reason
  /// all that have it, also those that are not due yet.
  public UnsignedIntervals unsigned(
      BearerToken token, ReportQuery query, int limit, @Nullable String cursor) {
    return peer.get(
        "/reports/unsigned?limit="
            + limit
            + with("cursor", cursor)
            + with("snapt", query.snapt())
            + with("account", query.account())
            + with("refusal", query.refusal())
            + (query.refusal() == null ? "" : "&due=false"),
        token,
        UnsignedIntervals.class);
  }

  public UnsignedInterval unsigned(BearerToken token, String id) {
    return peer.get("/reports/unsigned/" + encode(id), token, UnsignedInterval.class);
  }

  public void accept(BearerToken token, String id, Decision decision) {
    decide(token, "/reports/unsigned/" + encode(id) + "/accept", decision, JsonNode.class);
  }

  public void voidCharge(BearerToken token, String id, Decision decision) {
    decide(token, "/reports/unsigned/" + encode(id) + "/void", decision, JsonNode.class);
  }

  /// A decision of an operator. The key is made with the form: sent twice, it is carried out once.
  public record Decision(UUID key, String reason) {}

  private <T> T decide(BearerToken token, String path, Decision decision, Class<T> answer) {
    return peer.post(
        path, once(token, decision.key()), Map.of("reason", decision.reason()), answer);
  }

  private static Consumer<HttpHeaders> once(BearerToken token, UUID key) {
    return authorized(token).andThen(headers -> headers.set("Idempotency-Key", key.toString()));
  }

  public ReportCounts reportCounts(BearerToken token) {
    return peer.get("/reports/counts", token, ReportCounts.class);
  }

  public SequenceGaps sequenceGaps(BearerToken token, int limit, @Nullable String cursor) {
    return peer.get(
        "/reports/gaps" + query("&limit=" + limit + with("cursor", cursor)),
        token,
        SequenceGaps.class);
  }

  /// The account's event stream (WHATWG HTML section 9.2); the caller closes it.
  public InputStream events(BearerToken token, String account) {
    return peer.stream(at(account) + "/events", "text/event-stream", token);
  }

  private static String at(String account) {
    return "/accounts/" + encode(account);
  }

  private static String query(String parameters) {
    return parameters.isEmpty() ? "" : "?" + parameters.substring(1);
  }

  private static String with(ReportQuery query) {
    return with("snapt", query.snapt())
        + with("account", query.account())
        + with("reason", query.reason());
  }

  private static String with(String name, @Nullable String value) {
    return value == null || value.isBlank() ? "" : "&" + name + "=" + encode(value);
  }

  // URLEncoder writes form encoding: + for space is right in a query only, and `.` stays, so a
  // segment of dots must not reach the path.
  static String encode(String text) {
    String encoded = URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    return encoded.matches("\\.{1,2}") ? encoded.replace(".", "%2E") : encoded;
  }
}
