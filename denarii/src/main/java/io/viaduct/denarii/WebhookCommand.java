package io.viaduct.denarii;

import io.viaduct.denarii.api.BillingApi;
import io.viaduct.denarii.api.Pages;
import io.viaduct.denarii.text.Quantity;
import io.viaduct.denarii.text.Table;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/// Makes, lists and deletes webhooks, and shows and repeats their deliveries.
@Command(
    name = "webhook",
    description = "Make, list and delete webhooks; show what they were sent, and send it again.",
    mixinStandardHelpOptions = true,
    subcommands = {
      WebhookCommand.ListAll.class,
      WebhookCommand.Make.class,
      WebhookCommand.Delete.class,
      WebhookCommand.Secret.class,
      WebhookCommand.Log.class,
      WebhookCommand.Resend.class
    },
    footer = {"", "Example:", "  denarii webhook list"})
final class WebhookCommand extends CommandGroup {
  /// A command about the webhooks of an account.
  abstract static class OfAccount extends ReadingCall {
    @Option(names = "--account", description = "whose webhooks (default: your own)")
    private @Nullable String account;

    String webhooks() throws IOException {
      return accountPath(account) + "/webhooks";
    }

    String webhook(String id) throws IOException {
      return webhooks() + "/" + Pages.encoded(id);
    }

    static String words(JsonNode list) {
      return list.valueStream().map(JsonNode::asString).collect(Collectors.joining(","));
    }
  }

  /// Lists webhooks.
  @Command(
      name = "list",
      description = "List the webhooks of an account.",
      mixinStandardHelpOptions = true,
      footer = {"", "Example:", "  denarii webhook list"})
  static final class ListAll extends OfAccount {
    @Override
    int run() throws IOException {
      JsonNode webhooks = billing().get(webhooks()).path("webhooks");
      if (isJson()) {
        webhooks.forEach(this::jsonLine);
        return 0;
      }
      Table table = new Table("ID", "URL", "EVENTS", "ACCOUNTS", "STATE", ">FAILURES");
      webhooks.forEach(each ->
          table.row(
              each.path("id").asString(),
              each.path("url").asString(),
              words(each.path("events")),
              each.path("allAccounts").asBoolean() ? "all" : "own",
              each.path("state").asString(),
              Integer.toString(each.path("failures").asInt())));
      table.print(out());
      return 0;
    }
  }

  /// Makes a webhook.
  @Command(
      name = "make",
      description = {
        "Make a webhook: events are posted to its URL, signed. The secret of the signature is shown"
            + " this once."
      },
      mixinStandardHelpOptions = true,
      footer = {
        "",
        "Example:",
        "  denarii webhook make https://books.example/viaduct --event balance.low"
      })
  static final class Make extends OfAccount {
    @Parameters(paramLabel = "URL", description = "https://…")
    private String url = "";

    @Option(
        names = "--event",
        required = true,
        paramLabel = "EVENT",
        description = "kind of event, such as balance.low; may be given several times")
    private List<String> events = List.of();

    @Option(names = "--description", paramLabel = "TEXT", description = "what it is for")
    private String description = "";

    @Option(
        names = "--all-accounts",
        description = "events of all accounts, for an operator's own webhook")
    private boolean allAccounts;

    @Override
    int run() throws IOException {
      Map<String, Object> wanted = new LinkedHashMap<>();
      wanted.put("url", url);
      wanted.put("events", events);
      wanted.put("description", description);
      wanted.put("allAccounts", allAccounts);
      JsonNode made = billing().send("POST", webhooks(), wanted, Map.of()).body();
      if (isJson()) {
        json(made);
      } else {
        out().println(made.path("secret").asString());
        err().printf("webhook %s is made%n", made.at("/webhook/id").asString());
      }
      return 0;
    }
  }

  /// Deletes a webhook.
  @Command(
      name = "delete",
      description = "Delete a webhook, with what it has not got.",
      mixinStandardHelpOptions = true,
      footer = {"", "Example:", "  denarii webhook delete 4"})
  static final class Delete extends OfAccount {
    @Parameters(paramLabel = "ID", description = "as the list has it")
    private String id = "";

    @Override
    int run() throws IOException {
      var unused = billing().send("DELETE", webhook(id), null, Map.of());
      out().println("deleted");
      return 0;
    }
  }

  /// Gives a webhook a new secret.
  @Command(
      name = "secret",
      description = {
        "Give a webhook a new secret, and show it this once. For 24 hours each delivery has a"
            + " signature by both."
      },
      mixinStandardHelpOptions = true,
      footer = {"", "Example:", "  denarii webhook secret 4"})
  static final class Secret extends OfAccount {
    @Parameters(paramLabel = "ID", description = "as the list has it")
    private String id = "";

    @Override
    int run() throws IOException {
      JsonNode made = billing().send("POST", webhook(id) + "/secret", null, Map.of()).body();
      if (isJson()) {
        json(made);
      } else {
        out().println(made.path("secret").asString());
      }
      return 0;
    }
  }

  /// Shows the deliveries of a webhook.
  @Command(
      name = "log",
      description = "Show what a webhook was sent and will be sent, latest first.",
      mixinStandardHelpOptions = true,
      footer = {"", "Example:", "  denarii webhook log 4 --limit 20"})
  static final class Log extends OfAccount {
    @Parameters(paramLabel = "ID", description = "as the list has it")
    private String id = "";

    @Option(
        names = "--limit",
        paramLabel = "N",
        description = "most deliveries (default: ${DEFAULT-VALUE})")
    private int limit = 50;

    @Override
    int run() throws IOException {
      BillingApi billing = billing();
      Stream<JsonNode> deliveries =
          Pages.of(billing, webhook(id) + "/deliveries", Map.of(), "deliveries").limit(limit);
      if (isJson()) {
        deliveries.forEach(this::jsonLine);
        return 0;
      }
      Table table = new Table("ID", "TIME", "EVENT", "ACCOUNT", "STATE", ">ATTEMPTS", "LAST ERROR");
      deliveries.forEach(each ->
          table.row(
              each.path("id").asString(),
              Quantity.time(each.path("createdAt").asString(), zone()),
              each.path("kind").asString(),
              each.path("account").asString("-"),
              each.path("state").asString(),
              Integer.toString(each.path("attempts").asInt()),
              each.path("lastError").asString("")));
      table.print(out());
      return 0;
    }
  }

  /// Sends a delivery again.
  @Command(
      name = "resend",
      description = "Send a delivery again, whatever became of it.",
      mixinStandardHelpOptions = true,
      footer = {"", "Example:", "  denarii webhook resend 4 17"})
  static final class Resend extends OfAccount {
    @Parameters(index = "0", paramLabel = "ID", description = "the webhook, as the list has it")
    private String id = "";

    @Parameters(index = "1", paramLabel = "DELIVERY", description = "as the log has it")
    private String delivery = "";

    @Override
    int run() throws IOException {
      String path = webhook(id) + "/deliveries/" + Pages.encoded(delivery) + "/resend";
      var unused = billing().send("POST", path, null, Map.of());
      out().println("it is sent again");
      return 0;
    }
  }
}
