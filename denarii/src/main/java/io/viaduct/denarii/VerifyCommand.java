package io.viaduct.denarii;

import java.io.IOException;
import picocli.CommandLine.Command;
import tools.jackson.databind.JsonNode;

/// Verifies the ledger, as an operator.
@Command(
    name = "verify",
    description =
        "Recompute every invariant of the ledger, as an operator; exit code 1 if one is broken.",
    mixinStandardHelpOptions = true,
    footer = {"", "Example:", "  denarii verify"})
final class VerifyCommand extends ReadingCall {
  @Override
  int run() throws IOException {
    JsonNode verified = billing().get("/ledger/verification");
    if (isJson()) {
      json(verified);
    } else {
      for (JsonNode check : verified.path("checks")) {
        boolean holds = check.path("holds").asBoolean();
        out()
            .printf(
                "%-6s %s%s%n",
                holds ? "ok" : "BROKEN",
                check.path("name").asString(),
                holds
                    ? ""
                    : ": %d times, e.g. %s"
                        .formatted(
                            check.path("violations").asLong(), check.path("example").asString()));
      }
    }
    return verified.path("holds").asBoolean() ? 0 : DenariiCommand.BROKEN;
  }
}
