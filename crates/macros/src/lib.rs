//! `#[instances]`: a generic function that is compiled once for each element type, in the crate that defines it.
//!
//! Rust compiles a generic function in each crate that calls it. A routine of linear algebra is much code below a short
//! signature, and the program, the benchmarks, the C library and the drop-in would each compile all of it again.
//!
//! This is an inner crate of `affinimath`, whose paths the expansion names: `affinimath_core` must be a dependency.

use proc_macro::TokenStream;
use proc_macro2::{Group, Ident, TokenStream as Tokens, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::{FnArg, GenericParam, ItemFn, Pat, Result, TypeParam, TypeParamBound, parse_macro_input};

/// Compiles the function once for each element type, where it is defined. It stays generic for those who call it.
///
/// Its type parameters have one bound each: `Scalar`, `Real`, `Double`, `FftNum` or `RowPointer`.
#[proc_macro_attribute]
pub fn instances(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let function = parse_macro_input!(item as ItemFn);
    if !attribute.is_empty() {
        let error = syn::Error::new_spanned(&function.sig.ident, "#[instances] takes no arguments");
        return error.to_compile_error().into();
    }
    expand(function).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// The types that a bound stands for.
fn types_of(parameter: &TypeParam) -> Result<Vec<Tokens>> {
    let wrong = || syn::Error::new_spanned(parameter, "the bound must be Scalar, Real, Double, FftNum or RowPointer");
    let [Some(TypeParamBound::Trait(bound)), None] = [parameter.bounds.first(), parameter.bounds.get(1)] else {
        return Err(wrong());
    };
    let name = bound.path.segments.last().ok_or_else(wrong)?.ident.to_string();
    let [single, double] = [quote!(f32), quote!(f64)];
    let [single_complex, double_complex] =
        [quote!(::affinimath_core::scalar::Complex32), quote!(::affinimath_core::scalar::Complex64)];
    match name.as_str() {
        "Scalar" => Ok(vec![single, double, single_complex, double_complex]),
        "Real" | "FftNum" => Ok(vec![single, double]),
        "Double" => Ok(vec![double, double_complex]),
        "RowPointer" => Ok(vec![quote!(i32), quote!(i64)]),
        _ => Err(wrong()),
    }
}

/// All combinations of the parameters' types.
fn combinations(parameters: &[&TypeParam]) -> Result<Vec<Vec<Tokens>>> {
    let mut all = vec![Vec::new()];
    for parameter in parameters {
        let types = types_of(parameter)?;
        all = all
            .into_iter()
            .flat_map(|chosen| types.iter().map(move |one| [chosen.clone(), vec![one.clone()]].concat()))
            .collect();
    }
    Ok(all)
}

/// The type, with the trait named in `T::RealScalar`: Rust does not look for it where `T` is an alias.
fn qualified(tokens: Tokens, parameters: &[&Ident]) -> Tokens {
    let mut tokens = tokens.into_iter().peekable();
    let (mut result, mut in_path) = (Tokens::new(), false);
    while let Some(token) = tokens.next() {
        let begins_path = !std::mem::replace(&mut in_path, matches!(&token, TokenTree::Punct(p) if p.as_char() == ':'));
        match token {
            TokenTree::Group(group) => {
                let inner = qualified(group.stream(), parameters);
                result.extend([TokenTree::Group(Group::new(group.delimiter(), inner))]);
            }
            TokenTree::Ident(name)
                if begins_path
                    && parameters.contains(&&name)
                    && matches!(tokens.peek(), Some(TokenTree::Punct(p)) if p.as_char() == ':') =>
            {
                let colons: Tokens = tokens.by_ref().take(2).collect();
                let associated = tokens.next();
                let owner = match &associated {
                    Some(TokenTree::Ident(associated)) if associated == "Single" => quote!(Double),
                    _ => quote!(Scalar),
                };
                result.extend(quote!(<#name as ::affinimath_core::scalar::#owner> #colons #associated));
            }
            other => result.extend([other]),
        }
    }
    result
}

fn expand(function: ItemFn) -> Result<Tokens> {
    let ItemFn { attrs, vis, sig, block, .. } = function;
    let parameters: Vec<&TypeParam> = sig
        .generics
        .params
        .iter()
        .filter_map(|parameter| match parameter {
            GenericParam::Type(parameter) => Some(parameter),
            _ => None,
        })
        .collect();
    if parameters.is_empty() {
        return Err(syn::Error::new_spanned(&sig.ident, "there is no type parameter to make instances for"));
    }
    let (mut names, mut types, mut patterns) = (Vec::new(), Vec::new(), Vec::new());
    for argument in &sig.inputs {
        let FnArg::Typed(typed) = argument else {
            return Err(syn::Error::new_spanned(argument, "methods have no instances: call a function"));
        };
        names.push(format_ident!("argument_{}", names.len()));
        types.push(&typed.ty);
        patterns.push(&typed.pat);
    }
    // The caller sees the names that were given.
    let shown: Vec<Ident> = patterns
        .iter()
        .zip(&names)
        .map(|(pattern, name)| match &***pattern {
            Pat::Ident(plain) if plain.by_ref.is_none() && plain.subpat.is_none() => plain.ident.clone(),
            _ => name.clone(),
        })
        .collect();
    let (output, safety, name) = (&sig.output, &sig.safety, &sig.ident);
    let (generics, (_, _, clause)) = (&sig.generics, sig.generics.split_for_impl());
    let parameter_names: Vec<&Ident> = parameters.iter().map(|parameter| &parameter.ident).collect();
    let lifetimes: Vec<_> = sig.generics.lifetimes().collect();
    let one_types: Vec<Tokens> = types.iter().map(|one| qualified(one.to_token_stream(), &parameter_names)).collect();
    let one_output = qualified(output.to_token_stream(), &parameter_names);
    let arms = combinations(&parameters)?.into_iter().map(|chosen| {
        quote! {
            if #(::core::any::TypeId::of::<#parameter_names>() == ::core::any::TypeId::of::<#chosen>())&&* {
                // The instance is an item that is not generic: the crate that defines it compiles it.
                let one: for<#(#lifetimes),*> #safety fn(#(#types),*) #output = {
                    let instance = {
                        #(type #parameter_names = #chosen;)*
                        #[allow(clippy::too_many_arguments)]
                        #safety fn instance<#(#lifetimes),*>(#(#names: #one_types),*) #one_output {
                            #[allow(unused_unsafe)]
                            // SAFETY: the same function with the same arguments: the contract is the same.
                            unsafe { generic::<#(#parameter_names),*>(#(#names),*) }
                        }
                        instance as for<#(#lifetimes),*> #safety fn(#(#one_types),*) #one_output
                    };
                    // SAFETY: the types are the same, and so are those of both functions.
                    unsafe { ::core::mem::transmute(instance) }
                };
                #[allow(unused_unsafe)]
                // SAFETY: the instance runs the block of this function: the contract is the same.
                return unsafe { one(#(#shown),*) };
            }
        }
    });
    Ok(quote! {
        #(#attrs)*
        #[inline]
        #[allow(clippy::too_many_arguments, clippy::type_complexity)]
        #vis #safety fn #name #generics(#(#shown: #types),*) #output #clause {
            #[allow(clippy::too_many_arguments)]
            #[inline(always)]
            #safety fn generic #generics(#(#patterns: #types),*) #output #clause #block
            #(#arms)*
            unreachable!("the traits are sealed")
        }
    })
}
