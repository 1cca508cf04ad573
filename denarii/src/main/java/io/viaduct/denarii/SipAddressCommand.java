package io.viaduct.denarii;

import io.viaduct.denarii.api.Pages;
import java.io.IOException;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/// Shows, adds and removes SIP addresses of accounts.
@Command(
    name = "sip-address",
    description = "Show the SIP addresses of an account; add and remove those beside its id.",
    mixinStandardHelpOptions = true,
    subcommands = {
      SipAddressCommand.Show.class,
      SipAddressCommand.Add.class,
      SipAddressCommand.Remove.class
    },
    footer = {"", "Example:", "  denarii sip-address show alice"})
final class SipAddressCommand extends CommandGroup {
  /// A command about the addresses of an account.
  abstract static class OfAccount extends ReadingCall {
    @Parameters(index = "0", paramLabel = "ACCOUNT", description = "whose addresses")
    private String account = "";

    String addresses() throws IOException {
      return accountPath(account) + "/sip-addresses";
    }
  }

  /// Shows the addresses.
  @Command(
      name = "show",
      description = "Show the SIP addresses of an account, its id first.",
      mixinStandardHelpOptions = true,
      footer = {"", "Example:", "  denarii sip-address show alice"})
  static final class Show extends OfAccount {
    @Override
    int run() throws IOException {
      JsonNode shown = billing().get(addresses());
      if (isJson()) {
        json(shown);
        return 0;
      }
      String domain = shown.path("domain").asString();
      out().printf("%s@%s%n", shown.path("username").asString(), domain);
      shown.path("sipAddresses").forEach(each -> out().printf("%s@%s%n", each.asString(), domain));
      return 0;
    }
  }

  /// A command about one address beside the id.
  abstract static class OfAddress extends OfAccount {
    @Parameters(
        index = "1",
        paramLabel = "ADDRESS",
        description = "part before @: letters, digits, '.', '_', '+' or '-'")
    private String address = "";

    String one() throws IOException {
      return addresses() + "/" + Pages.encoded(address);
    }
  }

  /// Adds an address.
  @Command(
      name = "add",
      description = "Give an account another SIP address, as an operator.",
      mixinStandardHelpOptions = true,
      footer = {"", "Example:", "  denarii sip-address add alice +41791234567"})
  static final class Add extends OfAddress {
    @Override
    int run() throws IOException {
      var unused = billing().send("PUT", one(), null, Map.of());
      out().println("added");
      return 0;
    }
  }

  /// Removes an address.
  @Command(
      name = "remove",
      description = "Take a SIP address of an account away, as an operator.",
      mixinStandardHelpOptions = true,
      footer = {"", "Example:", "  denarii sip-address remove alice +41791234567"})
  static final class Remove extends OfAddress {
    @Override
    int run() throws IOException {
      var unused = billing().send("DELETE", one(), null, Map.of());
      out().println("removed");
      return 0;
    }
  }
}
