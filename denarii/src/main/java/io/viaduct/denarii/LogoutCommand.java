package io.viaduct.denarii;

import io.viaduct.denarii.api.BillingApi;
import io.viaduct.denarii.api.BillingRefusedException;
import io.viaduct.denarii.api.LoginFile;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;

/// Ends the log-in at billing and forgets its token.
@Command(
    name = "logout",
    description = "Log out: billing ends the token, and its file is deleted.",
    mixinStandardHelpOptions = true,
    footer = {"", "Example:", "  denarii logout"})
final class LogoutCommand extends BillingCall {
  @Override
  int run() throws IOException {
    LoginFile file = new LoginFile(surroundings().loginFile());
    Optional<LoginFile.Login> login = file.read();
    if (login.isEmpty()) {
      out().println("nobody has logged in");
      return 0;
    }
    try {
      // The token goes only to the billing that gave it.
      BillingApi billing = new BillingApi(login.get().billing(), login.get().token());
      var unused = billing.send("DELETE", "/sessions/current", null, Map.of());
    } catch (BillingRefusedException e) {
      if (e.status() != 401) { // the token has ended already
        throw e;
      }
    }
    file.delete();
    out().println("logged out");
    return 0;
  }
}
