package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.ledger.LedgerAccount;
import java.time.InstantSource;
import java.time.LocalDate;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/// Serves what an account has earned by relaying sessions of its neighbours (ADR 0068), by day of
/// the posting (UTC) and SNAPT. It names neither payer nor session.
@RestController
@Tag(name = "accounts")
class RelayRewardsResource {
  private static final String KIND = "RELAY";

  private final Accounts accounts;
  private final DailyEarnings earnings;
  private final JdbcClient jdbc;

  RelayRewardsResource(Accounts accounts, JdbcClient jdbc, InstantSource clock) {
    this.accounts = accounts;
    this.earnings = new DailyEarnings(jdbc, clock);
    this.jdbc = jdbc;
  }

  /// Rewards of the sessions at one SNAPT on one day.
  ///
  /// @param intervals intervals with a posting on that day
  record DayReward(LocalDate day, String snapt, String rewardMicrodenarii, long intervals) {
    static DayReward of(DailyEarnings.Day of) {
      return new DayReward(of.day(), of.snapt(), of.amount(), of.intervals());
    }
  }

  /// @param earnedMicrodenarii all rewards until now, less what was taken back
  record RewardList(
      String account, String earnedMicrodenarii, List<DayReward> rewards, @Nullable String next) {}

  @Refuses(ProblemType.NOT_FOUND)
  @GetMapping("/api/v1/accounts/{id}/relay-rewards")
  @Operation(
      summary =
          "Rewards of an account for sessions of its neighbours that it relayed, by day (UTC) and"
              + " SNAPT, latest day first",
      description = "Without from and to: the last 31 days. At most 366 days.",
      operationId = "listRelayRewards")
  RewardList list(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestParam(defaultValue = "") String from,
      @RequestParam(defaultValue = "") String to,
      @RequestParam(defaultValue = "") String cursor,
      @RequestParam(defaultValue = "100") int limit) {
    String account = CallerAccess.visible(caller, accounts, id).id();
    Page<DailyEarnings.Day> page =
        earnings.page(
            new DailyEarnings.Listing(
                "relay-rewards\n" + account,
                LedgerAccount.user(account),
                KIND,
                from,
                to,
                cursor,
                limit));
    return new RewardList(
        account, earned(account), page.items().stream().map(DayReward::of).toList(), page.next());
  }

  // A sum over postings would fall when a month is dropped.
  private String earned(String account) {
    return jdbc.sql(
            "select coalesce(sum(earned_microdenarii), 0)::text from relay_earning where account = ?")
        .param(account)
        .query(String.class)
        .single();
  }
}
