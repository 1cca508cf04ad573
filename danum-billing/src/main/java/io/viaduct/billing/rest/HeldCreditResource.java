package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.Account;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.credit.CreditMeters;
import io.viaduct.billing.credit.HeldCredit;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/// Serves what is reserved, for one account and for all, and the notices of credit.
@RestController
@RequestMapping("/api/v1")
@Tag(name = "accounts")
class HeldCreditResource {
  private final Accounts accounts;
  private final HeldCredit held;
  private final CreditMeters meters;

  HeldCreditResource(Accounts accounts, HeldCredit held, CreditMeters meters) {
    this.accounts = accounts;
    this.held = held;
    this.meters = meters;
  }

  record ReservationView(
      String account,
      String snapt,
      String session,
      String application,
      String serviceClass,
      String usedBytes,
      String allowedBytes,
      String coveredBytes,
      double bytesPerSecond,
      String reservedMicrodenarii,
      Instant validUntil,
      boolean cut,
      boolean ended,
      Instant heardAt) {
    static ReservationView of(HeldCredit.Reservation r) {
      return new ReservationView(
          r.account(),
          r.snapt(),
          r.session(),
          r.application(),
          r.serviceClass(),
          Long.toString(r.usedBytes()),
          Long.toString(r.allowedBytes()),
          Long.toString(r.coveredBytes()),
          r.bytesPerSecond(),
          r.reserved().toString(),
          r.validUntil(),
          r.isCut(),
          r.isEnded(),
          r.heardAt());
    }
  }

  record ReservationList(List<ReservationView> reservations, @Nullable String next) {}

  record CreditOverview(
      String reservedMicrodenarii,
      long sessions,
      long applications,
      long cutAccounts,
      Map<String, Long> pushes,
      List<ReservationView> largest,
      @Nullable String next) {}

  record GivenNoticeView(
      String id,
      String state,
      String creditMicrodenarii,
      Instant noticedAt,
      String delivery,
      int attempts,
      String lastError) {
    static GivenNoticeView of(HeldCredit.GivenNotice given) {
      return new GivenNoticeView(
          Long.toString(given.id()),
          given.notice().edge().name().toLowerCase(Locale.ROOT).replace('_', '-'),
          given.notice().credit().toString(),
          given.notice().noticedAt(),
          given.delivery().toLowerCase(Locale.ROOT).replace('_', '-'),
          given.attempts(),
          given.lastError());
    }
  }

  record NoticeList(List<GivenNoticeView> notices, @Nullable String next) {}

  @Refuses(ProblemType.NOT_FOUND)
  @GetMapping("/accounts/{id}/credit/reservations")
  @Operation(
      summary = "What the sessions of an account have reserved, the largest first",
      operationId = "listReservations")
  ReservationList reservations(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestParam(defaultValue = "") String cursor,
      @RequestParam(defaultValue = "50") int limit) {
    CallerAccess.visible(caller, accounts, id);
    Page<ReservationView> page = reservations("reservations\n" + id, id, false, cursor, limit);
    return new ReservationList(page.items(), page.next());
  }

  private Page<ReservationView> reservations(
      String scope, @Nullable String account, boolean isCut, String cursor, int limit) {
    Cursor.Named seen = Cursor.named(scope, 4, cursor);
    HeldCredit.Place after =
        seen == null
            ? HeldCredit.Place.START
            : new HeldCredit.Place(
                seen.number(),
                seen.names().get(0),
                seen.names().get(1),
                seen.names().get(2),
                seen.names().get(3));
    return Page.of(
            held.reservations(account, isCut, after, Page.limit(limit) + 1),
            limit,
            last ->
                Cursor.after(
                    scope,
                    new Cursor.Named(
                        last.reserved().value(),
                        last.snapt(),
                        last.session(),
                        last.application(),
                        last.serviceClass())))
        .as(ReservationView::of);
  }

  @Refuses(ProblemType.NOT_FOUND)
  @GetMapping("/accounts/{id}/credit/notices")
  @Operation(
      summary = "Notices of an account's credit, latest first, with their delivery",
      operationId = "listNotices")
  NoticeList notices(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestParam(defaultValue = "") String cursor,
      @RequestParam(defaultValue = "50") int limit) {
    CallerAccess.visible(caller, accounts, id);
    Page<GivenNoticeView> page =
        Page.latestFirst(
                "notices\n" + id,
                cursor,
                limit,
                (before, rows) -> held.notices(id, before, rows),
                HeldCredit.GivenNotice::id)
            .as(GivenNoticeView::of);
    return new NoticeList(page.items(), page.next());
  }

  record OpenSessionView(String account, String snapt, String session, Instant heardAt) {
    static OpenSessionView of(HeldCredit.OpenSession open) {
      return new OpenSessionView(open.account(), open.snapt(), open.session(), open.heardAt());
    }
  }

  record SessionList(List<OpenSessionView> sessions, @Nullable String next) {
    static boolean isAccount(String id) {
      return id.isEmpty() || id.matches(Account.ID_PATTERN);
    }
  }

  @GetMapping("/credit/sessions")
  @Operation(
      summary = "Open sessions under credit control of some accounts, by account and SNAPT",
      operationId = "listCreditSessions")
  SessionList sessions(
      @RequestParam(defaultValue = "") String accounts,
      @RequestParam(defaultValue = "") String cursor,
      @RequestParam(defaultValue = "500") int limit) {
    List<String> wanted = List.of(accounts.split(","));
    if (wanted.size() > Page.LIMIT_MAX || !wanted.stream().allMatch(SessionList::isAccount)) {
      throw ProblemException.invalid(
          "accounts must be at most " + Page.LIMIT_MAX + " account ids, separated by commas");
    }
    String scope = "sessions\n" + accounts;
    Cursor.Named seen = Cursor.named(scope, 3, cursor);
    Page<OpenSessionView> page =
        Page.of(
                held.sessions(
                    wanted,
                    seen == null ? List.of("", "", "") : seen.names(),
                    Page.limit(limit) + 1),
                limit,
                last ->
                    Cursor.after(
                        scope, new Cursor.Named(0, last.account(), last.snapt(), last.session())))
            .as(OpenSessionView::of);
    return new SessionList(page.items(), page.next());
  }

  @GetMapping("/credit")
  @Operation(
      summary = "Reservations of all sessions: sums, pushes, and the largest ones",
      operationId = "getCreditOverview")
  CreditOverview overview(
      @RequestParam(defaultValue = "false") boolean cut,
      @RequestParam(defaultValue = "") String cursor,
      @RequestParam(defaultValue = "50") int limit) {
    HeldCredit.Sums sums = held.sums();
    Page<ReservationView> largest = reservations("largest\n" + cut, null, cut, cursor, limit);
    return new CreditOverview(
        sums.reserved().toString(),
        sums.sessions(),
        sums.applications(),
        sums.cutAccounts(),
        meters.pushes(),
        largest.items(),
        largest.next());
  }
}
