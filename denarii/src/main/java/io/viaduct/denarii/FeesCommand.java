package io.viaduct.denarii;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// Shows what an owner of SNAPTs has earned.
@Command(
    name = "fees",
    description = {
      "Show what an owner of SNAPTs has earned by day (UTC) and SNAPT, latest day first: the last 31"
          + " days, or a time of 366 days at most."
    },
    mixinStandardHelpOptions = true,
    footer = {"", "Example:", "  denarii fees acme --from 2026-11-01"})
final class FeesCommand extends EarningsTable {
  @Parameters(arity = "0..1", paramLabel = "OWNER", description = "default: your own account")
  private @Nullable String owner;

  @Override
  int run() throws IOException {
    String path = accountPath(owner).replaceFirst("^/accounts/", "/owners/") + "/fees";
    return show(path, "fees", "feeMicrodenarii", ">FEE");
  }
}
