package io.viaduct.webgui.account;

import io.viaduct.webgui.billing.Account;
import io.viaduct.webgui.billing.Billing;
import io.viaduct.webgui.billing.DeviceList;
import io.viaduct.webgui.billing.PasswordReset;
import io.viaduct.webgui.billing.SipAddresses;
import io.viaduct.webgui.configuration.WebguiConfiguration.Telephones;
import io.viaduct.webgui.login.SignedIn;
import io.viaduct.webgui.page.Outcome;
import io.viaduct.webgui.peer.JsonPeer.Tagged;
import java.util.Locale;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.mvc.support.RedirectAttributes;
import org.springframework.web.servlet.support.ServletUriComponentsBuilder;
import org.springframework.web.util.UriComponentsBuilder;

/// The pages of an account's password, devices and state. Every outcome leads back to a page that
/// says what was done, or what to mend. The forms that change an account carry the tag of the
/// account that they were rendered with.
@Controller
class UserPages {
  private final Billing billing;
  private final Telephones telephones;

  UserPages(Billing billing, Telephones telephones) {
    this.billing = billing;
    this.telephones = telephones;
  }

  @GetMapping("/accounts/{account}/user")
  String user(
      @AuthenticationPrincipal SignedIn visitor, @PathVariable String account, Model model) {
    Tagged<Account> shown = billing.tagged(visitor.token(), account);
    model.addAttribute("account", shown.value());
    model.addAttribute("tag", shown.tag());
    Tagged<DeviceList> devices = billing.taggedDevices(visitor.token(), account);
    model.addAttribute("devices", devices.value());
    model.addAttribute("devicesTag", devices.tag());
    model.addAttribute("own", visitor.account().equals(account));
    if (!shown.value().isClosed()) {
      SipAddresses phones = billing.sipAddresses(visitor.token(), account);
      model.addAttribute("phones", phones);
      model.addAttribute("sipServer", phones.server(telephones));
      model.addAttribute("sipTransport", telephones.transport().toUpperCase(Locale.ROOT));
      String uri = phones.uri(telephones);
      model.addAttribute("sipUri", uri);
      model.addAttribute("qr", QrCode.of(uri));
    }
    return "user";
  }

  /// The visitor's own password, or an operator's for another.
  @PostMapping("/accounts/{account}/password")
  String password(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @RequestParam(defaultValue = "") String tag,
      @RequestParam(defaultValue = "") String oldPassword,
      @RequestParam String newPassword,
      @RequestParam String again,
      RedirectAttributes page) {
    if (!newPassword.equals(again)) {
      Outcome.problem(page, "user.problem.again");
    } else {
      Outcome.of(
          page,
          "user.done.password",
          () -> {
            if (visitor.account().equals(account)) {
              billing.changePassword(visitor.token(), account, oldPassword, newPassword);
            } else {
              billing.setPassword(visitor.token(), account, tag, newPassword);
            }
          });
    }
    return redirect(account);
  }

  @PostMapping("/accounts/{account}/devices")
  String removeDevice(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @RequestParam(defaultValue = "") String tag,
      @RequestParam String device,
      RedirectAttributes page) {
    Outcome.of(
        page,
        "user.done.device",
        () -> billing.removeDevice(visitor.token(), account, tag, device));
    return redirect(account);
  }

  @PostMapping("/accounts/{account}/device-names")
  String nameDevice(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @RequestParam(defaultValue = "") String tag,
      @RequestParam String device,
      @RequestParam(defaultValue = "") String name,
      RedirectAttributes page) {
    Outcome.of(
        page,
        "user.done.name",
        () -> billing.nameDevice(visitor.token(), account, tag, device, name.strip()));
    return redirect(account);
  }

  /// A link for a user who has lost the password. It is shown once, to the operator who passes it
  /// on.
  @PostMapping("/accounts/{account}/password-resets")
  String reset(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      RedirectAttributes page) {
    Outcome.of(
        page,
        "user.done.reset",
        () -> {
          PasswordReset reset = billing.makeReset(visitor.token(), account);
          page.addFlashAttribute("reset", reset);
          page.addFlashAttribute(
              "resetAddress",
              ServletUriComponentsBuilder.fromCurrentContextPath()
                  .path("/reset")
                  .queryParam("token", reset.token())
                  .encode()
                  .toUriString());
        });
    return redirect(account);
  }

  /// @param state active, suspended, or closed with `sure`
  @PostMapping("/accounts/{account}/state")
  String state(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @RequestParam(defaultValue = "") String tag,
      @RequestParam String state,
      @RequestParam(defaultValue = "") String sure,
      RedirectAttributes page) {
    if (!state.equals("closed")) {
      Outcome.of(
          page, "user.done.state", () -> billing.setState(visitor.token(), account, tag, state));
    } else if (sure.equals(account)) {
      Outcome.of(
          page, "user.done.closed", () -> billing.closeAccount(visitor.token(), account, tag));
    } else {
      Outcome.problem(page, "user.problem.sure");
    }
    return redirect(account);
  }

  /// Erases a closed account; the page of its pseudonym follows.
  @PostMapping("/accounts/{account}/erasure")
  String erase(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @RequestParam(defaultValue = "") String sure,
      RedirectAttributes page) {
    String[] id = {account};
    if (sure.equals(account)) {
      Outcome.of(
          page, "user.done.erased", () -> id[0] = billing.eraseAccount(visitor.token(), account));
    } else {
      Outcome.problem(page, "user.problem.erase");
    }
    return redirect(id[0]);
  }

  @PostMapping("/accounts")
  String open(
      @AuthenticationPrincipal SignedIn visitor,
      @RequestParam String id,
      @RequestParam(defaultValue = "") String displayName,
      @RequestParam String newPassword,
      @RequestParam(defaultValue = "user") String role,
      RedirectAttributes page) {
    String account = id.strip();
    String name = displayName.isBlank() ? account : displayName.strip();
    boolean made =
        Outcome.of(
            page,
            "user.done.made",
            () -> billing.openAccount(visitor.token(), account, name, newPassword, role));
    return made ? redirect(account) : "redirect:/accounts";
  }

  private static String redirect(String account) {
    return "redirect:"
        + UriComponentsBuilder.fromPath("/accounts/{id}/user").encode().buildAndExpand(account);
  }
}
