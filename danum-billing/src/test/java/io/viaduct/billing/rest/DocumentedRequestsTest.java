package io.viaduct.billing.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.RunningBilling.Answer;
import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.mediation.UndecidedReports;
import io.viaduct.service.tls.Ed25519;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.interfaces.EdECPublicKey;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Sends each request of the manuals to a running billing, in the order of the manual. Only the
/// placeholders are filled in: `{id}`, `{device}`, `…` and the values of a query.
class DocumentedRequestsTest {
  private static final Pattern REQUEST =
      Pattern.compile("\\b(GET|POST|PUT|PATCH|DELETE) (/api/v1/[^ `|]+)");
  private static final Pattern BODY = Pattern.compile("\\{\"[^`]*?}(?=`|\\s|$)");
  private static final Pattern FIELD = Pattern.compile("\"(\\w+)\":\"…\"");

  /// Requests to the bridge; its own tests cover them.
  private static final List<String> OF_THE_BRIDGE =
      List.of("/api/v1/snapts", "/api/v1/registrations");

  private static final Map<String, String> QUERY =
      Map.of(
          "from=", "from=2026-03-01T00:00:00Z",
          "to=", "to=2026-04-01T00:00:00Z",
          "class=", "class=HT_HD",
          "state=", "state=final",
          "application=", "application=web",
          "snapt=", "snapt=snapt-a");

  /// A request of a manual.
  ///
  /// @param where file and line
  /// @param body JSON body; empty if the line has none
  private record Documented(
      String where, String method, String path, String body, boolean needsKey) {}

  private static final ManualClock CLOCK = new ManualClock();
  private static RunningBilling billing;
  private static String operator;
  private static DescribedAnswers described;

  /// Replaces the `alice` of the manual, because other tests share the database.
  private final String alice = "alice-" + UUID.randomUUID().toString().substring(0, 8);

  private final List<String> wrong = new ArrayList<>();

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    CLOCK.advance(Duration.ofHours(25)); // a report of the day before is due for a decision
    billing = RunningBilling.start(folder, CLOCK);
    operator = billing.operator();
    described = new DescribedAnswers(billing);
  }

  @AfterAll
  static void stop() {
    billing.close();
  }

  @Test
  void requestsOfTheManualsSucceedInTheirOrder() throws Exception {
    List<Documented> requests = new ArrayList<>(requests("operator.md"));
    requests.addAll(requests("user.md"));
    assertThat(requests).hasSizeGreaterThan(20);
    for (Documented request : requests) {
      send(request);
    }
    assertThat(wrong).isEmpty();
    assertThat(withoutChange())
        .as("V91__audit.sql must have a trigger for the tables of these operations")
        .isEmpty();
  }

  /// Operations of the manuals that succeeded and never left a changed row in the audit log.
  private static List<String> withoutChange() {
    return SharedDatabase.client()
        .sql(
            """
            select e.operation from audit_entry e join audit_outcome o on o.entry_id = e.id
            where o.status < 300 and e.began_at = ? group by e.operation
            having not bool_or(exists (select from audit_change c where c.entry_id = e.id))
            """)
        .param(Timestamp.from(CLOCK.instant())) // of no other test: this clock stands still
        .query(String.class)
        .list();
  }

  private static List<Documented> requests(String manual) throws Exception {
    List<String> lines =
        Files.readAllLines(Path.of(System.getProperty("viaduct.root"), "docs", manual));
    List<Documented> requests = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      Matcher found = REQUEST.matcher(line);
      while (found.find()) {
        String path = found.group(2).replaceAll("[.,;]$", "");
        if (!OF_THE_BRIDGE.contains(path)) {
          requests.add(
              new Documented(
                  manual + ":" + (i + 1),
                  found.group(1),
                  path,
                  body(line, found),
                  line.contains("Idempotency-Key") || path.endsWith("/credits")));
        }
      }
    }
    return requests;
  }

  // Returns the example between this request and the next one, or else the example at the start of
  // the line.
  private static String body(String line, Matcher request) {
    if (request.group(1).matches("GET|DELETE")) {
      return "";
    }
    Matcher next = REQUEST.matcher(line);
    int end = next.find(request.end()) ? next.start() : line.length();
    Matcher own = BODY.matcher(line).region(request.end(), end);
    if (own.find()) {
      return own.group();
    }
    Matcher any = BODY.matcher(line);
    return any.find() ? any.group() : "";
  }

  private void send(Documented request) throws Exception {
    String path = filledPath(request.path());
    String account = path.replaceAll("/api/v1/accounts/([^/?]+).*", "$1");
    // A user changes the own password, so the request needs the user's token.
    String token =
        request.path().endsWith("/password")
            ? billing.logIn(account, "password-of-" + account)
            : operator;
    Answer answer =
        billing.call(
            request.method(),
            path,
            request.path().equals("/api/v1/sessions") ? null : token,
            request.body().isEmpty() ? null : filledBody(request.body(), account),
            headers(request, path));
    described
        .difference(request.method(), path, answer)
        .ifPresent(difference ->
            wrong.add(request.where() + ": " + request.method() + " " + path + ": " + difference));
    if (answer.status() / 100 != 2) {
      wrong.add(
          "%s: %s %s %s is answered with %d: %s"
              .formatted(
                  request.where(),
                  request.method(),
                  request.path(),
                  request.body(),
                  answer.status(),
                  answer.raw().body()));
    }
  }

  private static Map<String, String> headers(Documented request, String path) throws Exception {
    if (request.method().equals("PUT") && path.contains("/credit/")) {
      Answer read = billing.get(path.replaceAll("/[^/]+$", ""), operator);
      return Map.of("If-Match", read.raw().headers().firstValue("ETag").orElseThrow());
    }
    if (request.method().matches("PATCH|DELETE") && path.matches("/api/v1/accounts/[^/]+")) {
      return billing.ifMatch(path, operator);
    }
    if (request.method().matches("PATCH|DELETE") && path.contains("/devices/")) {
      return billing.ifMatch(path.replaceAll("/[^/]+$", ""), operator);
    }
    return request.needsKey() ? Map.of("Idempotency-Key", UUID.randomUUID().toString()) : Map.of();
  }

  private String filledPath(String documented) throws Exception {
    String path =
        documented
            .replace("alice", alice)
            .replace("{address}", "+41-" + UUID.randomUUID().toString().substring(0, 8));
    if (path.contains("{id}")) {
      path = path.replace("{id}", id(path));
    }
    if (path.contains("{device}")) {
      path = path.replace("{device}", device(path.replaceAll(".*/accounts/([^/]+)/.*", "$1")));
    }
    for (Map.Entry<String, String> parameter : QUERY.entrySet()) {
      path =
          path.replaceAll("([?&])" + parameter.getKey() + "(?=&|$)", "$1" + parameter.getValue());
    }
    return path;
  }

  /// Creates the object of a path: an account with charges, a charge, or a report that waits for a
  /// decision.
  private static String id(String path) throws Exception {
    String account = "user-" + UUID.randomUUID().toString().substring(0, 8);
    billing.openAccount(operator, account);
    if (path.contains("/reports/held/")) {
      return Long.toString(UndecidedReports.held(account));
    }
    if (path.contains("/reports/unsigned/")) {
      return Long.toString(UndecidedReports.unsigned(account));
    }
    List<ChargesOnFile.OnFile> charges =
        ChargesOnFile.add(account, 3, Instant.parse("2026-03-01T00:00:00Z"), new Random(5));
    return path.contains("/charges/{id}") ? Long.toString(charges.getFirst().id()) : account;
  }

  private static String device(String account) {
    byte[] key = Ed25519.raw((EdECPublicKey) Ed25519.generate().getPublic());
    SharedDatabase.jdbc()
        .update(
            "insert into device (account, public_key, added_at) values (?, ?, now())",
            account,
            key);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(key);
  }

  private String filledBody(String documented, String account) throws Exception {
    if (documented.contains("\"charge\":\"…\"")) {
      return filledBody(documented.replace("…", id("/charges/{id}")), account);
    }
    Matcher field = FIELD.matcher(documented.replace("\"alice\"", "\"" + alice + "\""));
    return field.replaceAll(found ->
        "\"%s\":\"%s\"".formatted(found.group(1), value(found.group(1), documented, account)));
  }

  private static String value(String field, String body, String account) {
    return switch (field) {
      case "password" ->
          body.contains("\"operator\"") ? RunningBilling.OPERATOR_PASSWORD : "a new password";
      case "oldPassword" -> "password-of-" + account;
      default -> "a text of the reader";
    };
  }
}
