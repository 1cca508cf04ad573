package io.viaduct.webgui.tariff;

import io.viaduct.webgui.login.SignedIn;
import io.viaduct.webgui.page.Outcome;
import io.viaduct.webgui.page.Refusals;
import io.viaduct.webgui.peer.BearerToken;
import io.viaduct.webgui.peer.JsonPeer.Tagged;
import io.viaduct.webgui.peer.PeerRefusedException;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.springframework.context.MessageSource;
import org.springframework.http.ResponseEntity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.servlet.mvc.support.RedirectAttributes;

/// The editor of a tariff. Every button of the editor sends the whole form, which is saved first;
/// so the pages behind it, and a browser that comes back, show what was written. Nothing here knows
/// a rule of a tariff: billing says what is wrong.
@Controller
@RequestMapping("/tariffs/drafts")
class TariffDraftPages {
  private static final String EDITOR = "redirect:/tariffs/drafts/";
  private static final int CONFLICT = 409;

  private final Tariffs tariffs;
  private final MessageSource texts;

  TariffDraftPages(Tariffs tariffs, MessageSource texts) {
    this.tariffs = tariffs;
    this.texts = texts;
  }

  @PostMapping
  String begin(
      @AuthenticationPrincipal SignedIn visitor,
      @RequestParam(defaultValue = "") String name,
      @RequestParam int basedOn,
      RedirectAttributes page) {
    return Outcome.get(page, null, () -> tariffs.begin(visitor.token(), name.strip(), basedOn))
        .map(draft -> EDITOR + draft.id())
        .orElse("redirect:/tariffs");
  }

  @GetMapping("/{id}")
  String edit(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String id,
      Locale locale,
      Model model) {
    BearerToken token = visitor.token();
    Tagged<TariffDraft> draft = tariffs.draft(token, id);
    show(draft.value(), draft.tag(), model);
    model.addAttribute("versions", tariffs.versions(token).value());
    tariffs
        .check(token, draft.value().document())
        .ifPresent(refused -> {
          model.addAttribute("broken", refused);
          model.addAttribute("brokenRule", Refusals.ofTariff(refused, texts, locale));
        });
    return "tariff-editor";
  }

  private static void show(TariffDraft draft, String tag, Model model) {
    model.addAttribute("draft", draft);
    model.addAttribute("tag", tag);
    model.addAttribute("form", TariffForm.of(draft.document()));
    model.addAttribute("pattern", TariffForm.pattern());
    model.addAttribute("newApplication", TariffForm.newApplication());
  }

  /// Effect of a change in the editor.
  ///
  /// @param tag new tag of the draft
  /// @param place place of the refused value; empty if the draft is valid, or refused as a whole
  /// @param knot index of the refused knot, or -1
  /// @param detail what is wrong, in words; empty if the draft is valid
  /// @param english true if these are billing's words
  record Checked(
      String tag, boolean valid, String place, int knot, String detail, boolean english) {}

  private Checked refused(String tag, PeerRefusedException e, Locale locale) {
    Refusals.Sentence words = Refusals.ofTariff(e, texts, locale);
    return new Checked(tag, false, e.place(), e.knot(), words.text(), words.isEnglish());
  }

  /// Saves what the editor has, and has it checked. The script of the editor asks this.
  @PostMapping("/{id}/check")
  @ResponseBody
  ResponseEntity<Checked> check(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String id,
      @RequestParam Map<String, String> form,
      Locale locale) {
    try {
      Tagged<TariffDraft> saved = save(visitor, id, form);
      return ResponseEntity.ok(
          tariffs
              .check(visitor.token(), saved.value().document())
              .map(e -> refused(saved.tag(), e, locale))
              .orElseGet(() ->
                  new Checked(saved.tag(), true, "", PeerRefusedException.NO_KNOT, "", false)));
    } catch (PeerRefusedException e) {
      return ResponseEntity.status(e.status()).body(refused("", e, locale));
    }
  }

  private Tagged<TariffDraft> save(SignedIn visitor, String id, Map<String, String> form) {
    BearerToken token = visitor.token();
    TariffDraft draft = tariffs.draft(token, id).value();
    Tagged<TariffDraft> saved =
        tariffs.save(
            token,
            id,
            form.getOrDefault("tag", ""),
            form.getOrDefault("name", "").strip(),
            DraftDocument.with(draft.document(), form));
    if (DraftDocument.addsTwice(draft.document(), form)) {
      throw new PeerRefusedException(
          CONFLICT, "applications: the tariff has this one already; all other changes are saved");
    }
    return saved;
  }

  @PostMapping("/{id}")
  String save(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String id,
      @RequestParam Map<String, String> form,
      RedirectAttributes page) {
    Outcome.of(page, "tariff.done.saved", () -> save(visitor, id, form));
    return EDITOR + id;
  }

  @PostMapping("/{id}/simulate")
  String simulate(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String id,
      @RequestParam Map<String, String> form,
      ZoneId zone,
      Model model,
      RedirectAttributes page) {
    boolean isDone =
        Outcome.of(
            page,
            null,
            () -> {
              TariffDraft draft = save(visitor, id, form).value();
              model.addAttribute("draft", draft);
              model.addAttribute("asked", form);
              model.addAttribute(
                  "trial",
                  tariffs.simulate(
                      visitor.token(),
                      draft.document(),
                      TariffPages.time(form.getOrDefault("from", ""), zone),
                      TariffPages.time(form.getOrDefault("to", ""), zone)));
            });
    return isDone ? "tariff-trial" : EDITOR + id;
  }

  /// Tries the draft as it is stored, in the background.
  @PostMapping("/{id}/trials")
  String tryWhole(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String id,
      @RequestParam(defaultValue = "") String from,
      @RequestParam(defaultValue = "") String to,
      ZoneId zone,
      RedirectAttributes page) {
    TariffDraft draft = tariffs.draft(visitor.token(), id).value();
    return Outcome.get(
            page,
            null,
            () ->
                tariffs.beginTrial(
                    visitor.token(),
                    draft.name() == null ? id : draft.name(),
                    draft.document(),
                    TariffPages.time(from, zone),
                    TariffPages.time(to, zone)))
        .map(run -> "redirect:/tariffs/trials/" + run.id())
        .orElse(EDITOR + id);
  }

  /// A trial is the answer to the editor's form: who asks for its address alone goes back there.
  @GetMapping("/{id}/simulate")
  String untried(@PathVariable String id) {
    return EDITOR + id;
  }

  /// @param form with `against`, the version to compare with
  @PostMapping("/{id}/diff")
  String compare(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String id,
      @RequestParam Map<String, String> form,
      RedirectAttributes page) {
    return Outcome.of(page, "tariff.done.saved", () -> save(visitor, id, form))
        ? EDITOR + id + "/diff?from=" + number(form.getOrDefault("against", "1"))
        : EDITOR + id;
  }

  private static int number(String text) {
    return text.matches("\\d{1,9}") ? Integer.parseInt(text) : 1;
  }

  @GetMapping("/{id}/diff")
  String diff(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String id,
      @RequestParam int from,
      Model model,
      RedirectAttributes page) {
    BearerToken token = visitor.token();
    TariffDraft draft = tariffs.draft(token, id).value();
    boolean isDone =
        Outcome.of(
            page,
            null,
            () -> model.addAttribute("changes", tariffs.diff(token, from, draft.document())));
    model.addAttribute("versions", tariffs.versions(token).value());
    model.addAttribute("draft", draft);
    model.addAttribute("from", from);
    return isDone ? "tariff-diff" : EDITOR + id;
  }

  @PostMapping("/{id}/publish")
  String saveAndAsk(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String id,
      @RequestParam Map<String, String> form,
      RedirectAttributes page) {
    return Outcome.of(page, "tariff.done.saved", () -> save(visitor, id, form))
        ? EDITOR + id + "/publish"
        : EDITOR + id;
  }

  @GetMapping("/{id}/publish")
  String askPublish(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String id,
      Model model,
      RedirectAttributes page) {
    BearerToken token = visitor.token();
    Tagged<TariffDraft> read = tariffs.draft(token, id);
    TariffDraft draft = read.value();
    Tagged<List<TariffVersion>> versions = tariffs.versions(token);
    TariffVersion inForce = TariffPages.inForce(versions.value());
    boolean isValid =
        Outcome.of(
            page,
            null,
            () ->
                model.addAttribute(
                    "changes", tariffs.diff(token, inForce.version(), draft.document())));
    model.addAttribute("draft", draft);
    model.addAttribute("inForce", inForce);
    model.addAttribute("scheduled", TariffPages.scheduled(versions.value()));
    model.addAttribute("tag", versions.tag());
    model.addAttribute("draftTag", read.tag());
    return isValid ? "tariff-publish" : EDITOR + id;
  }

  /// @param tag tag of the list of versions that the operator has seen
  /// @param draftTag tag of the draft that the operator has seen
  @PostMapping("/{id}/published")
  String publish(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String id,
      @RequestParam String tag,
      @RequestParam String draftTag,
      @RequestParam(defaultValue = "") String validFrom,
      ZoneId zone,
      RedirectAttributes page) {
    BearerToken token = visitor.token();
    Tagged<TariffDraft> draft = tariffs.draft(token, id);
    if (!draft.tag().equals(draftTag)) {
      Outcome.problem(page, "outcome.changed");
      return EDITOR + id + "/publish";
    }
    boolean isPublished =
        Outcome.of(
            page,
            "tariff.done.published",
            () ->
                tariffs.publish(
                    token, tag, draft.value().document(), TariffPages.time(validFrom, zone)));
    if (!isPublished) {
      return EDITOR + id + "/publish";
    }
    if (!Outcome.of(page, "tariff.done.published", () -> tariffs.delete(token, id))) {
      Outcome.problem(page, "tariff.problem.draftleft");
    }
    return "redirect:/tariffs";
  }

  @PostMapping("/{id}/delete")
  String delete(
      @AuthenticationPrincipal SignedIn visitor, @PathVariable String id, RedirectAttributes page) {
    Outcome.of(page, "tariff.done.deleted", () -> tariffs.delete(visitor.token(), id));
    return "redirect:/tariffs";
  }
}
