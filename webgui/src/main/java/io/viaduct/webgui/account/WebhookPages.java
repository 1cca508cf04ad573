package io.viaduct.webgui.account;

import io.viaduct.webgui.login.SignedIn;
import io.viaduct.webgui.page.Outcome;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.mvc.support.RedirectAttributes;
import org.springframework.web.util.UriComponentsBuilder;

/// The pages of an account's webhooks and of what each was sent. A new secret is shown once.
@Controller
@RequestMapping("/accounts/{account}/webhooks")
class WebhookPages {
  private static final int ROWS = 50;

  private final Webhooks webhooks;

  WebhookPages(Webhooks webhooks) {
    this.webhooks = webhooks;
  }

  @GetMapping
  String page(
      @AuthenticationPrincipal SignedIn visitor, @PathVariable String account, Model model) {
    boolean forAll = visitor.isOperator() && visitor.account().equals(account);
    List<String> events = new ArrayList<>(Webhooks.EVENTS);
    if (forAll) {
      events.addAll(Webhooks.OPERATOR_EVENTS);
    }
    model.addAttribute("account", account);
    model.addAttribute("forAll", forAll);
    model.addAttribute("events", events);
    model.addAttribute("webhooks", webhooks.list(visitor.token(), account));
    return "webhooks";
  }

  @PostMapping
  String make(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @RequestParam String url,
      @RequestParam(defaultValue = "") List<String> events,
      @RequestParam(defaultValue = "") String description,
      @RequestParam(defaultValue = "false") boolean allAccounts,
      RedirectAttributes page) {
    Outcome.of(
        page,
        "webhooks.done.made",
        () ->
            page.addFlashAttribute(
                "secret",
                webhooks.make(
                    visitor.token(),
                    account,
                    url.strip(),
                    events,
                    description.strip(),
                    allAccounts)));
    return redirect(account, "");
  }

  @GetMapping("/{webhook}")
  String deliveries(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @PathVariable String webhook,
      @RequestParam(required = false) @Nullable String cursor,
      Model model) {
    model.addAttribute("account", account);
    model.addAttribute("webhook", webhooks.get(visitor.token(), account, webhook).value());
    model.addAttribute("log", webhooks.deliveries(visitor.token(), account, webhook, ROWS, cursor));
    model.addAttribute("cursor", cursor);
    return "deliveries";
  }

  @PostMapping("/{webhook}/secret")
  String rotate(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @PathVariable String webhook,
      RedirectAttributes page) {
    Outcome.of(
        page,
        "webhooks.done.rotated",
        () -> page.addFlashAttribute("secret", webhooks.rotate(visitor.token(), account, webhook)));
    return redirect(account, "");
  }

  @PostMapping("/{webhook}/enable")
  String enable(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @PathVariable String webhook,
      RedirectAttributes page) {
    Outcome.of(
        page, "webhooks.done.enabled", () -> webhooks.enable(visitor.token(), account, webhook));
    return redirect(account, "");
  }

  @PostMapping("/{webhook}/delete")
  String delete(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @PathVariable String webhook,
      RedirectAttributes page) {
    Outcome.of(
        page, "webhooks.done.deleted", () -> webhooks.delete(visitor.token(), account, webhook));
    return redirect(account, "");
  }

  @PostMapping("/{webhook}/resend")
  String resend(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @PathVariable String webhook,
      @RequestParam String delivery,
      RedirectAttributes page) {
    Outcome.of(
        page,
        "webhooks.done.resent",
        () -> webhooks.resend(visitor.token(), account, webhook, delivery));
    return redirect(account, webhook);
  }

  private static String redirect(String account, String webhook) {
    return "redirect:"
        + UriComponentsBuilder.fromPath(
                "/accounts/{id}/webhooks" + (webhook.isEmpty() ? "" : "/{w}"))
            .encode()
            .buildAndExpand(
                webhook.isEmpty() ? new Object[] {account} : new Object[] {account, webhook});
  }
}
