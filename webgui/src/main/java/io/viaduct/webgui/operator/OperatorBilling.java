package io.viaduct.webgui.operator;

import static io.viaduct.webgui.peer.JsonPeer.authorized;

import io.viaduct.webgui.billing.MicroDenarii;
import io.viaduct.webgui.peer.BearerToken;
import io.viaduct.webgui.peer.JsonPeer;
import java.io.InputStream;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpMethod;
import org.springframework.web.util.UriComponentsBuilder;
import tools.jackson.databind.JsonNode;

/// Billing's REST interface for the work of operators: accounts, their credit and their wallets.
public final class OperatorBilling {
  private final JsonPeer peer;

  public OperatorBilling(JsonPeer peer) {
    this.peer = peer;
  }

  /// A page of the list of accounts.
  ///
  /// @param next cursor of the following page, null on the last page
  public record AccountList(List<AccountRow> accounts, @Nullable String next) {
    public AccountList {
      accounts = List.copyOf(accounts);
    }
  }

  record ReservationList(List<Reservation> reservations) {}

  public AccountList accounts(
      BearerToken token, AccountQuery query, int limit, @Nullable String cursor) {
    return peer.get(
        path("/accounts")
            .queryParam("limit", "{limit}")
            .queryParam("cursor", "{cursor}")
            .queryParam("search", "{search}")
            .queryParam("state", "{state}")
            .queryParam("sort", "{sort}")
            .encode()
            .buildAndExpand(
                limit,
                text(cursor),
                text(query.search()).strip(),
                text(query.state()),
                query.sort() == null || query.sort().isBlank()
                    ? AccountQuery.SORTS.getFirst()
                    : query.sort())
            .toUriString(),
        token,
        AccountList.class);
  }

  public List<Reservation> reservations(BearerToken token, String account, int limit) {
    return peer.get(
            at(account, "/credit/reservations?limit=" + limit), token, ReservationList.class)
        .reservations();
  }

  public Wallet.All wallets(BearerToken token, String account) {
    return peer.get(at(account, "/wallets"), token, Wallet.All.class);
  }

  /// Grants money that expires, once per key.
  public void grant(
      BearerToken token,
      String account,
      UUID idempotencyKey,
      MicroDenarii amount,
      Instant expiresAt,
      String reason) {
    peer.post(
        at(account, "/grants"),
        authorized(token)
            .andThen(headers -> headers.set("Idempotency-Key", idempotencyKey.toString())),
        Map.of("amountMicrodenarii", amount, "expiresAt", expiresAt.toString(), "reason", reason),
        JsonNode.class);
  }

  /// Sets what an account is granted each month, once per key.
  ///
  /// @param tag of the allowance as it was shown; empty if there was none
  public void setAllowance(
      BearerToken token, String account, String tag, UUID idempotencyKey, MicroDenarii amount) {
    peer.send(
        HttpMethod.PUT,
        at(account, "/allowance"),
        authorized(token)
            .andThen(headers -> {
              headers.set("Idempotency-Key", idempotencyKey.toString());
              if (!tag.isEmpty()) {
                headers.set("If-Match", tag);
              }
            }),
        Map.of("amountMicrodenarii", amount));
  }

  record Allowance(MicroDenarii allowanceMicrodenarii) {}

  /// Returns the tag of the account's allowance, for its next change.
  public String allowanceTag(BearerToken token, String account) {
    return peer.getTagged(at(account, "/allowance"), token, Allowance.class).tag();
  }

  /// @param tag of the allowance as it was shown
  public void endAllowance(BearerToken token, String account, String tag) {
    peer.delete(at(account, "/allowance"), token, tag);
  }

  /// @param onlyCut true for applications only that got less than they need
  public CreditOverview overview(BearerToken token, boolean onlyCut, int limit) {
    return peer.get("/credit?cut=" + onlyCut + "&limit=" + limit, token, CreditOverview.class);
  }

  record SessionList(List<OpenSession> sessions) {}

  /// A session under credit control that has not ended.
  public record OpenSession(
      String account,
      @Nullable String snapt,
      @Nullable String session,
      @Nullable Instant heardAt) {}

  /// The open sessions of some accounts, latest first, by account.
  public Map<String, List<OpenSession>> sessions(BearerToken token, List<String> accounts) {
    if (accounts.isEmpty()) {
      return Map.of();
    }
    return peer
        .get(
            path("/credit/sessions")
                .queryParam("accounts", "{accounts}")
                .encode()
                .buildAndExpand(String.join(",", accounts))
                .toUriString(),
            token,
            SessionList.class)
        .sessions()
        .stream()
        .collect(Collectors.groupingBy(OpenSession::account));
  }

  public Overview attention(BearerToken token) {
    return peer.get("/overview", token, Overview.class);
  }

  record RunList(List<VerificationRun> runs) {}

  /// The latest verifications of the ledger, latest first.
  public List<VerificationRun> verifications(BearerToken token, int limit) {
    return peer.get("/ledger/verifications?limit=" + limit, token, RunList.class).runs();
  }

  /// Begins a verification, unless one runs.
  public void verify(BearerToken token) {
    peer.post("/ledger/verifications", authorized(token), Map.of(), JsonNode.class);
  }

  /// Returns a page of the audit log, latest first.
  ///
  /// @param account of the operator, or empty for all
  /// @param about account or part of a path, or empty for all
  public AuditEntry.Page audit(
      BearerToken token, String account, String about, int limit, @Nullable String cursor) {
    return peer.get(
        path("/audit")
            .queryParam("account", "{account}")
            .queryParam("about", "{about}")
            .queryParam("limit", "{limit}")
            .queryParam("cursor", "{cursor}")
            .encode()
            .buildAndExpand(account, about, limit, text(cursor))
            .toUriString(),
        token,
        AuditEntry.Page.class);
  }

  /// Returns the audit log as a CSV file; the caller closes it.
  public InputStream auditFile(BearerToken token, String account, String about) {
    return peer.stream(
        path("/audit.csv")
            .queryParam("account", "{account}")
            .queryParam("about", "{about}")
            .encode()
            .buildAndExpand(account, about)
            .toUriString(),
        "text/csv",
        token);
  }

  /// Returns a page of the files of charging data records.
  public CdrFiles cdrFiles(BearerToken token, int limit, @Nullable String cursor) {
    return peer.get(
        path("/cdr-files")
            .queryParam("limit", "{limit}")
            .queryParam("cursor", "{cursor}")
            .encode()
            .buildAndExpand(limit, text(cursor))
            .toUriString(),
        token,
        CdrFiles.class);
  }

  public CdrFiles.CdrFile cdrFile(BearerToken token, long sequence) {
    return peer.get("/cdr-files/" + sequence, token, CdrFiles.CdrFile.class);
  }

  /// Returns the content of a file; the caller closes it.
  public InputStream cdrContent(BearerToken token, long sequence) {
    return peer.stream("/cdr-files/" + sequence + "/content", "application/octet-stream", token);
  }

  private static String at(String account, String what) {
    return path("/accounts/{account}").encode().buildAndExpand(account).toUriString() + what;
  }

  private static UriComponentsBuilder path(String template) {
    return UriComponentsBuilder.fromPath(template);
  }

  private static String text(@Nullable String text) {
    return text == null ? "" : text;
  }
}
