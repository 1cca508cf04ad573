package io.viaduct.denarii;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// Shows what an account has earned by relaying sessions of its neighbours.
@Command(
    name = "rewards",
    description = {
      "Show what an account has earned by relaying sessions of its neighbours, by day (UTC) and"
          + " SNAPT, latest day first: the last 31 days, or a time of 366 days at most."
    },
    mixinStandardHelpOptions = true,
    footer = {"", "Example:", "  denarii rewards bob --from 2026-11-01"})
final class RewardsCommand extends EarningsTable {
  @Parameters(arity = "0..1", paramLabel = "ACCOUNT", description = "default: your own account")
  private @Nullable String account;

  @Override
  int run() throws IOException {
    return show(
        accountPath(account) + "/relay-rewards", "rewards", "rewardMicrodenarii", ">REWARD");
  }
}
